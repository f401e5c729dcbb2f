// Scatters over a space write straight to their destinations, point by point or in lanes.
#include "emit/context/context.h"
#include "emit/lanes/scatter.h"
#include "emit/points.h"
#include "emit/statements.h"
#include "emit/thread/parallel_operations.h"
#include "emit/versions.h"

namespace dagaz::emit {

static void scatter_points(Context& c, const ir::SegmentedScatter& e,
                           const std::vector<Place>& places) {
  const Operand cost = cost_of(c, e.schedule);
  for_each_point(c, extents_of(e.space), cost, "scatter", [&](const std::vector<Operand>& point) {
    set_indices(c, e.space, point);
    c.thread.uses_memory = true;  // elements may meet in memory: not independent
    emit_body(c, e.body, {}, [&](const std::vector<Value>& values) {
      std::vector<Place> parts;
      for (const Place& place : places) {
        parts.push_back(part_at(c, place, {point.begin(), point.end() - 1}));
      }
      scatter_step(c, e.targets, parts, values);
    });
  });
}

void emit_operation(Context& c, const ir::Statement& s, const ir::SegmentedScatter& e) {
  std::vector<Place> places;
  for (std::size_t k = 0; k < e.targets.size(); ++k) {
    places.push_back(c.arrays.place_of(e.targets[k].destination));
    c.arrays.bind(s.results[k].name, places[k]);
  }
  run_versions(c, e.schedule, [&](const ir::Strategy& strategy) {
    if (const auto* blocks = as<ir::LaneBlocks>(strategy)) {
      scatter_in_lanes(c, e, *blocks, places);
    } else {
      scatter_points(c, e, places);
    }
  });
}

}  // namespace dagaz::emit
