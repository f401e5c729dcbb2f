// Reductions with a lane for each segment.
#pragma once

#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

/// The values of whole segments, to `totals`.
void reduce_segments_in_lanes(Context& c, const ir::Statement& s, const ir::SegmentedReduce& e,
                              const ir::LaneBlocks& plan, const std::vector<Place>& totals);

}  // namespace dagaz::emit
