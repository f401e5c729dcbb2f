// Accumulators of which every point of a block has its own: arrays opened inside of what runs in
// lanes.
#pragma once

#include "emit/lanes/lanes.h"

namespace dagaz::emit {

/// Makes `to` mean the open accumulator `from`, a point's own or one of all points.
void continue_accumulator(Lanes& l, NameId to, NameId from);
/// Each point combines its value into its own array, at indices that may differ.
void accumulate_own(Lanes& l, const ir::Accumulate& e, const LaneAccumulator& own);

}  // namespace dagaz::emit
