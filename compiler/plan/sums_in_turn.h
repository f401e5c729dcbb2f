// Sums of a point that are added to each other, and used for nothing else, in turn:
//
//   (⊕ₖ combine(left(i, k), right(k, j))) ⊕ (⊕ₗ combine′(left′(i, l), right′(l, j)))
//
// is one sum over the elements of the first and then of the others, as those of a recurrent layer
// are over its input and over its state.  A tile of a GPU holds the sums in registers meanwhile,
// and those of each part are neither written nor read.
#pragma once

#include <optional>
#include <vector>

#include "plan/product_parts.h"

namespace dagaz::plan {

/// The sums that tiles of a GPU may have of a map's points: one, or several in turn.
std::optional<SumParts> tile_sums(const ir::SegmentedMap& map, ir::Names& names);
std::optional<SumParts> tile_sums(const ir::SegmentedReduce& reduction, ir::Names& names);

/// The sums, and those that go on from them.
std::vector<const SumParts*> in_turn(const SumParts& parts);
/// What of the plan for all of them is for one.
ir::Contraction plan_of(const ir::Contraction& plan, const SumParts& one, const ir::Names& names);

}  // namespace dagaz::plan
