// The two sides of a tile of sums, its rows and its points, and the sum that they have in common:
// where in the space a block's tile is, and where in shared memory what it stages.
//
// Each thread multiplies for itself: lines are of an element each, so that a thread reads its rows
// and points as neighbours.  Warps multiply matrices: lines are what is read as neighbours.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "emit/context/context.h"
#include "plan/memory_elements.h"
#include "plan/product_parts.h"

namespace dagaz::emit {

/// Which tile, along rows and along points.
struct TilePlace {
  Operand row;
  Operand point;
};
/// Whether all that a chunk reads is known to be there.
enum class Reach { inside, clamped };

/// Rows or points of a tile; a panel of them is a thread's.
struct TileSide : plan::ProductSide {
  bool is_along_sum() const { return packing == ir::Packing::by_elements; }

  std::int64_t width = 0;     // of a block
  std::int64_t lines = 0;     // of staged values: of an element each, or of a row or point
  std::int64_t pitch = 0;     // from one line to the next
  std::int64_t together = 1;  // neighbours of a line that a thread stages at once
  std::int64_t copies = 0;    // the same where it need not wait for them; else 0
  std::optional<plan::MemoryElements> elements;  // that values are, if they are such
  std::vector<std::int64_t> offsets;             // of staged values, in bytes
  Operand extent;                                // of the space
  // In the kernel.
  Operand first;               // of this block
  Operand thread;              // the number of this thread among those along this side
  std::vector<Place> staged;   // of each value: [half][element][row or point][further]
  std::vector<Place> written;  // the same in what a thread stages at once
};

class TileSides : public Emitter {
 public:
  /// `parts`, of whose statements it has none of its own, stays where it is.
  TileSides(Context& c, const std::vector<ir::SpaceDimension>& space, const plan::SumParts& parts,
            const ir::Contraction& plan);
  TileSides(const TileSides&) = delete;
  TileSides& operator=(const TileSides&) = delete;

  const ir::Contraction& plan() const { return plan_; }
  const plan::SumParts& parts() const { return parts_; }
  TileSide& rows() { return rows_; }
  TileSide& points() { return points_; }
  const TileSide& rows() const { return rows_; }
  const TileSide& points() const { return points_; }
  /// What is added, from what is staged and kept.
  const ir::Body& combined() const { return combined_; }

  /// Host: what of a block's memory is for staged values, from its beginning on; in bytes.
  std::int64_t lay_out();
  /// Host: of a sum.
  const Operand& elements() const { return elements_; }
  Operand tiles_of(const TileSide& side);

  /// Threads: go to a tile, and elements of the sum from `begin` to `end`.
  void start(const TilePlace& at, const Operand& begin, const Operand& end);
  void place(TileSide& side);
  const Operand& begin() const { return begin_; }
  const Operand& end() const { return end_; }
  /// The first element of a chunk.
  Operand start_of(const Operand& chunk);
  /// Whether all of this side of the tile are in the space.
  Operand is_inside(const TileSide& side);
  /// Binds the indices of the row or point, or of the element of the sum, of this number.
  void bind(const TileSide& side, const Operand& number);
  void bind_element(const Operand& number);

 private:
  Context& c_;
  const plan::SumParts& parts_;
  const ir::Contraction& plan_;
  TileSide rows_;
  TileSide points_;
  ir::Body combined_;
  std::vector<Operand> level_extents_;  // of the loops of the sum
  Operand elements_;
  Operand begin_;
  Operand end_;
};

}  // namespace dagaz::emit
