// Reductions in blocks of lanes that carry places along: lanes keep the steps at which they met
// them (plan/places.h).
#pragma once

#include <vector>

#include "emit/lanes/points.h"
#include "emit/thread/running.h"

namespace dagaz::emit {

/// Combines the elements of `points` into `totals`; lanes begin with their first elements.
void reduce_by_steps(Context& c, const ir::SegmentedReduce& e, const ir::LaneBlocks& plan,
                     const PointsOfLanes& points, const std::vector<Running>& totals);

}  // namespace dagaz::emit
