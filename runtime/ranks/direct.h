// Direct messages: pieces of the device's memory that go to other ranks, and come from them,
// without the host.  NCCL carries them (cuda/nccl_messages.h), or an MPI that takes addresses of
// the device's memory.  Where there is neither, what ranks send is staged (staging.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ranks/messages.h"

namespace dagaz::runtime {

/// All ranks call the same functions in the same order.  What is sent is what work of the device
/// makes that was asked for before, and work that is asked for afterwards finds what has come.
class DirectMessages {
 public:
  virtual ~DirectMessages() = default;
  /// What carries them.
  virtual std::string name() const = 0;

  /// Pieces for other ranks and from them, none of them empty.  Those from one rank to another
  /// arrive in the order in which they are named.
  virtual int32_t move(std::span<const dz_rank_message> to,
                       std::span<const dz_rank_message> from) = 0;
  /// What ranks have of `whole`, sizes[r] bytes of rank r one behind the other, to all of them.
  virtual int32_t gather(void* whole, std::span<const int64_t> sizes) = 0;
};

/// One more piece, unless it is empty.
inline void add_piece(std::vector<dz_rank_message>& pieces, int64_t rank, void* data,
                      int64_t bytes) {
  if (bytes > 0) {
    pieces.push_back({static_cast<int32_t>(rank), bytes, data});
  }
}

}  // namespace dagaz::runtime
