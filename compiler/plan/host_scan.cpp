// Scans: in pieces whose totals are scanned first, in lanes, or as one loop with the scatters after
// them (compaction.h).
#include "plan/gpu.h"
#include "plan/host_operations.h"
#include "plan/lane_scans.h"
#include "plan/links.h"
#include "plan/nested.h"
#include "plan/versions.h"

namespace dagaz::plan {

void plan_scan(Planning& p, const ir::Statement& statement, ir::SegmentedScan& e,
               const std::optional<Compaction>& compaction) {
  e.schedule = only(ir::InPieces{});
  if (!p.on_cpu()) {
    p.on_gpu(statement.results, e.schedule, gpu_scan(e, p.around, compaction));
    // Statements that run together have one version.
    const bool several = e.schedule.versions.size() > 1 && compaction;
    if (several) e.schedule = gpu_scan(e, p.around, std::nullopt);
  }
  if (p.may_choose(statement.operation)) {
    const ScanAt at{p.around, e, statement.results, compaction};
    e.schedule = p.random ? only(p.random->scan(at)) : ways_of_scan(at);
    p.wanted.follow(statement.results, e.schedule, ir::InPieces{},
                    [&](const ir::Strategy& one) { return completed_scan(at, one); });
    if (e.schedule.versions.size() > 1 && compaction) e.schedule = only(ir::InPieces{});
  }
  p.note_work(e.body, e.result_types, e.schedule);
  p.note_strip(statement.results, e.space.size(), e.schedule);
  p.note_link(statement.results, link_of(e, p.iotas, p.names, p.tunables()), e.schedule);
  plan_nested(p, e.body);
  for (ir::ScanOperator& one : e.operators) plan_operator(p, one.op);
  if (e.post) plan_nested(p, e.post->body);
}

}  // namespace dagaz::plan
