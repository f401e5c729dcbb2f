// What each thread of a block stages of a chunk for a side of a tile: which elements, and where
// they lie in shared memory.  Neighbouring threads stage neighbours in memory.
#pragma once

#include <functional>
#include <vector>

#include "emit/gpu/tile_sides.h"

namespace dagaz::emit {

/// Which element of the chunk, and which row or point of the tile: with so many more of each.
/// Along lines they count in what a thread stages at once.
struct StagedShare {
  Operand element;
  Operand own;
  std::int64_t further_elements = 0;
  std::int64_t further_own = 0;
};

class SideShares : public Emitter {
 public:
  /// The element of the sum, and the row or point, that a share begins with.
  struct Source {
    Operand element;
    Operand own;
  };

  SideShares(Context& c, TileSides& sides, const TileSide& side)
      : Emitter(c), c_(c), sides_(sides), side_(side) {}

  /// How often all threads stage something.
  std::int64_t each() const;
  /// Whether of the last ones that threads stage there are fewer than threads.
  bool has_rest() const;

  /// What the thread stages as its `number`-th.
  StagedShare share(const Operand& number);
  StagedShare share(const Operand& number, const Operand& thread);
  /// The number of a thread that stages in a loop.
  Operand thread();
  /// Where the thread may have nothing left to stage, only if it has.
  void if_there(const StagedShare& at, bool is_known, const std::function<void()>& action);
  Source source_of(const StagedShare& at, const Operand& chunk);
  /// Of a share in this half, for a place of what threads stage at once.
  std::vector<Operand> indices_in(const Place& written, const StagedShare& at, const Operand& half);

 private:
  std::int64_t depth() const { return sides_.plan().depth; }

  Context& c_;
  TileSides& sides_;
  const TileSide& side_;
};

}  // namespace dagaz::emit
