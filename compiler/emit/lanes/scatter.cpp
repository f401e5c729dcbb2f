// A vector of values is written under a mask of the lanes whose indices lie inside.  The last block
// along the dimension of the points is moved back: some points write what they wrote before.
#include "emit/lanes/scatter.h"

#include "emit/lanes/arrays.h"
#include "emit/lanes/lanes.h"
#include "emit/lanes/map.h"
#include "emit/lanes/masks.h"
#include "emit/lanes/statements.h"
#include "emit/lanes/values.h"
#include "emit/points.h"
#include "emit/versions.h"

namespace dagaz::emit {

void scatter_in_lanes(Context& c, const ir::SegmentedScatter& e, const ir::LaneBlocks& plan,
                      const std::vector<Place>& places) {
  const Operand span = ir::i64_operand(std::int64_t{plan.columns} * plan.width);
  std::vector<Operand> extents = extents_of(e.space);
  const Operand last = c.sub(extents.back(), span);
  extents.back() = c.divide_up(extents.back(), span);
  const Operand cost = c.mul(cost_of(c, e.schedule), span);
  for_blocks(c, c.product(extents), cost, [&](const Operand& number) {
    c.thread.uses_memory = true;  // elements may meet in memory: not independent
    std::vector<Operand> point = c.unflatten(number, extents);
    point.back() = c.minimum(c.mul(point.back(), span), last);
    Lanes lanes(c, plan);
    for (std::size_t d = 0; d < point.size(); ++d) {
      bind_index(lanes, e.space[d].index.name, point[d], false, d + 1 == point.size());
    }
    const std::vector<LaneResult> results = emit_body(lanes, e.body, {});
    std::size_t position = 0;
    for (std::size_t k = 0; k < e.targets.size(); ++k) {
      std::vector<LaneScalar> indices;
      for (std::size_t i = 0; i < e.targets[k].shape.size(); ++i) {
        indices.push_back(*results[position++].scalar);
      }
      const Place part = part_at(c, places[k], {point.begin(), point.end() - 1});
      const LaneArray whole{part, uniform(lanes, part.offset)};
      where_or_nowhere(lanes, are_inside(lanes, indices, e.targets[k].shape), [&] {
        store(lanes, part_of(lanes, whole, indices), *results[position++].scalar);
      });
    }
  });
}

}  // namespace dagaz::emit
