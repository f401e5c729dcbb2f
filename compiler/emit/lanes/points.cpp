#include "emit/lanes/points.h"

#include "emit/lanes/values.h"
#include "plan/lane_values.h"

namespace dagaz::emit {

Lanes lanes_of_points(Context& c, const ir::LaneBlocks& plan) {
  Lanes lanes(c, plan);
  if (plan::walks_stretches(plan)) lanes.block.rows = 1;
  return lanes;
}

void bind_points(Lanes& l, const std::vector<ir::SpaceDimension>& space,
                 const PointsOfLanes& points, const Operand& step) {
  for (std::size_t d = 0; d < points.outer.size(); ++d) {
    bind_index(l, space[d].index.name, points.outer[d], false, false);
  }
  const NameId index = space.back().index.name;
  if (!plan::walks_stretches(l.plan)) {
    const Operand span = ir::i64_operand(l.block.span());
    bind_index(l, index, l.c.add(points.start, l.c.mul(step, span)), false, true);
    return;
  }
  LaneScalar value;  // each the `count`-th after the one before
  value.by_point = true;
  value.affine = Affine{l.c.add(points.start, step), ir::i64_operand(0), points.count};
  bind(l, index, value);
}

}  // namespace dagaz::emit
