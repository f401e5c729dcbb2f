// Which part of a segment a block has, and which part of that a thread.
#pragma once

#include <functional>
#include <vector>

#include "emit/context/context.h"
#include "emit/pieces.h"

namespace dagaz::emit {

/// The part of a segment that a block works on.
struct BlockPart {
  Operand piece;
  std::vector<Operand> outer;
  Operand start;
  Operand length;
};

/// At most `blocks` share a segment, or `together` of them, if that leaves `elements` for each of
/// their threads.
struct SharedSegments {
  template <typename Strategy>
  explicit SharedSegments(const Strategy& plan) : blocks(plan.blocks), elements(plan.elements) {}
  explicit SharedSegments(const ir::Interchanged& plan)
      : elements(plan.steps), together(plan.tile) {}
  int blocks = 1 << 20;
  int elements;
  int together = 1;
};

/// How many blocks share a segment, and how much of it each takes.
Pieces blocks_of_segments(Context& c, std::vector<Operand> outer, const Operand& width,
                          const SharedSegments& plan);
/// Along the innermost dimension of a space.
Pieces blocks_of_segments(Context& c, const std::vector<ir::SpaceDimension>& space,
                          const SharedSegments& plan);
BlockPart block_part(Context& c, const Pieces& pieces, const Operand& block);
/// How many blocks have bins of their own, which are so many of each kind, for `points` that they
/// share: as many as the device holds and have at least `each` points for a bin.
Operand blocks_with_bins(Context& c, const std::vector<Operand>& counts, const Operand& points,
                         std::int64_t each);
/// This thread's part of 0 … count-1: one of as many as there are threads where the order does not
/// matter, so that neighbours read neighbours, else a stretch.
void for_thread_share(Context& c, const Operand& rank, const Operand& threads, const Operand& count,
                      bool strides, const std::function<void(Operand)>& body);
/// The same by strides of 2^shift threads: a loop whose length is known, which can be unrolled.
void for_thread_strides(Context& c, const Operand& rank, const Operand& shift, const Operand& count,
                        const std::function<void(Operand)>& body);

}  // namespace dagaz::emit
