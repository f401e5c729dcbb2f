// Scatters: point by point, and in lanes where places and values are computed so.
#include "plan/host_operations.h"
#include "plan/lane_scatters.h"
#include "plan/nested.h"
#include "plan/versions.h"

namespace dagaz::plan {

void plan_scatter(Planning& p, const ir::Statement& statement, ir::SegmentedScatter& e,
                  bool alone) {
  e.schedule = only(ir::Pointwise{});
  if (alone && p.may_choose(statement.operation) && p.tunables().lanes != 0) {
    const auto lanes = p.random ? completed_blocks(p.around, e, p.random->blocks_of_scatter())
                                : scatter_in_lanes(p.around, e);
    if (lanes && !(p.random && p.random->flips())) {
      e.schedule = versions({*lanes}, ir::Pointwise{});
    }
    p.wanted.follow(statement.results, e.schedule, ir::Pointwise{}, [&](const ir::Strategy& one) {
      const auto* blocks = as<ir::LaneBlocks>(one);
      return blocks ? completed_blocks(p.around, e, *blocks) : std::nullopt;
    });
  }
  constexpr std::int64_t to_places = 2;  // operations of a write
  p.note_work(e.body, e.result_types, e.schedule, to_places);
  plan_nested(p, e.body);
}

}  // namespace dagaz::plan
