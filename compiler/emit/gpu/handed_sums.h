// How the sums of a tile leave their threads: through shared memory, where nothing is staged any
// more, some rows of every thread at a time.  Neighbours write neighbours then, and what becomes of
// a sum is emitted once for all of these.
#pragma once

#include <functional>
#include <variant>
#include <vector>

#include "emit/gpu/matrix_sums.h"
#include "emit/gpu/thread_sums.h"

namespace dagaz::emit {

/// Whoever makes the sums: each thread for itself, or warps.
using TileSums = std::variant<ThreadSums, MatrixSums>;
/// What becomes of the sums of a row and a point of the space, by number.
using TilePut =
    std::function<void(const Operand& row, const Operand& point, const std::vector<Value>& sums)>;

class HandedSums : public Emitter {
 public:
  HandedSums(Context& c, TileSides& sides, const std::vector<ir::Type>& types)
      : Emitter(c), c_(c), sides_(sides), types_(types) {}

  /// Host: takes what there is of a block's memory, from its beginning on; returns what of it, in
  /// bytes, is used at most.
  std::int64_t lay_out(std::int64_t staged_bytes);
  /// Threads: puts all sums; they meet before and after.
  void put_all(TileSums& sums, const TilePut& put);

 private:
  void hand_over(TileSums& sums, std::int64_t r, std::int64_t own);
  void put_handed(TileSums& sums, const Operand& number, std::int64_t first, const TilePut& put);

  Context& c_;
  TileSides& sides_;
  const std::vector<ir::Type>& types_;
  std::int64_t rows_ = 1;              // of a thread whose sums go to memory together
  std::int64_t pitch_ = 0;             // from one of these rows to the next
  std::vector<std::int64_t> offsets_;  // of these sums in shared memory
  std::vector<Place> handed_;          // in the kernel
};

}  // namespace dagaz::emit
