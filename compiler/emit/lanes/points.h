// The points along the innermost dimension that a reduction's lanes walk.
#pragma once

#include <vector>

#include "emit/lanes/lanes.h"

namespace dagaz::emit {

/// From `start` on `count` blocks of neighbours, or stretches as long, at `outer` indices.
struct PointsOfLanes {
  std::vector<Operand> outer;
  Operand start;
  Operand count;
};

/// The lanes of a reduction: one row at a time.
Lanes lanes_of_points(Context& c, const ir::LaneBlocks& plan);
/// Binds the indices of the points that lanes meet at a step.
void bind_points(Lanes& l, const std::vector<ir::SpaceDimension>& space,
                 const PointsOfLanes& points, const Operand& step);

}  // namespace dagaz::emit
