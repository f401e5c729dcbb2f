// Histograms: in pieces, each with bins of its own, and on the CPU in blocks whose bins and values
// are computed before they are added, where those take arithmetic alone.
#include <algorithm>

#include "plan/cost.h"
#include "plan/gpu.h"
#include "plan/host_operations.h"
#include "plan/operators.h"
#include "plan/nested.h"
#include "plan/versions.h"
#include "plan/work.h"

namespace dagaz::plan {

// Whether the values that are added are computed in blocks.
static void plan_on_cpu(Planning& p, const ir::Statement& statement, ir::SegmentedHistogram& e,
                        bool may_cut) {
  const bool single =
      std::all_of(e.operators.begin(), e.operators.end(), [](const ir::HistogramOperator& one) {
        return are_scalars(one.op.result_types);
      });
  const bool may_hold =
      p.may_choose(statement.operation) && single && is_arithmetic(e.body, p.names);
  const bool holds = may_hold && (p.random ? p.random->flips()
                                           : is_worth_a_block(e.body, p.names, p.tunables()));
  const auto simplest = may_cut ? ir::Strategy(ir::InPieces{}) : ir::Strategy(ir::BySegments{});
  e.schedule = only(holds ? ir::Strategy(p.some_blocks()) : simplest);
  p.wanted.follow(statement.results, e.schedule, simplest, [&](const ir::Strategy& one) {
    const bool follows = as<ir::HeldBlocks>(one) && may_hold;
    return follows ? std::optional(ir::Version{{}, one}) : std::nullopt;
  });
}

void plan_histogram(Planning& p, const ir::Statement& statement, ir::SegmentedHistogram& e) {
  const bool may_cut = e.space.size() == 1;
  if (p.on_cpu()) {
    plan_on_cpu(p, statement, e, may_cut);
  } else {
    p.on_gpu(statement.results, e.schedule, gpu_histogram(e, p.around));
  }
  if (may_cut) e.schedule.least_piece = more_than_bins(e, p.names);
  constexpr std::int64_t to_bins = 4;  // operations of an addition
  p.note_work(e.body, e.result_types, e.schedule, to_bins);
  plan_nested(p, e.body);
  for (ir::HistogramOperator& one : e.operators) plan_operator(p, one.op);
}

}  // namespace dagaz::plan
