// Memory of the device as messages see it.  Where it is the host's, messages are packed from it
// and unpacked into it.  Else what is sent is copied to the host first, all of it while the device
// is waited for once, and what has come is copied from there, in the order of the device's other
// work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device.h"

namespace dagaz::runtime {

/// Memory of the host that copies go through, kept for the next ones.
class StagingMemory {
 public:
  explicit StagingMemory(Device& device) : device_(device) {}
  ~StagingMemory();
  StagingMemory(const StagingMemory&) = delete;
  StagingMemory& operator=(const StagingMemory&) = delete;

  /// Everything may be taken again.
  void restart();
  /// Aligned to 64 bytes; null where there is no memory.
  char* take(int64_t bytes);

 private:
  struct Chunk {
    char* data;
    int64_t bytes;
  };
  bool add(int64_t bytes);

  Device& device_;
  std::vector<Chunk> chunks_;
  int64_t taken_ = 0;  // of the last chunk
};

/// Rows here and there in a block, on the host.
struct StagedRows {
  const char* data;
  int64_t row_bytes;
  int64_t first = 0;    // the row that `data` begins with
  bool packed = false;  // else those that are wanted are one after the other

  /// The one that is wanted as number k.
  const char* row(size_t k, int64_t row) const {
    return data + (packed ? static_cast<int64_t>(k) : row - first) * row_bytes;
  }
};

/// The copies of one operation between ranks.
class Staging {
 public:
  explicit Staging(dz_context& context);

  /// Bytes of a block, which are there after `fetch`.
  const char* look(const dz_block& block, int64_t offset, int64_t bytes);
  /// The same of rows in any order.
  StagedRows look_at_rows(const dz_block& block, int64_t offset, int64_t row_bytes,
                          std::span<const int64_t> rows);
  /// Room for bytes of a block, which may be written after `fetch` and are there after `store`.
  char* fill(dz_block& block, int64_t offset, int64_t bytes);
  /// Waits for the device.
  int32_t fetch();
  int32_t store();
  dz_context& context() { return context_; }

 private:
  char* take(int64_t bytes);

  dz_context& context_;
  Device& device_;
  bool lacks_memory_ = false;
  std::vector<Read> reads_;
  std::vector<Write> writes_;
};

}  // namespace dagaz::runtime
