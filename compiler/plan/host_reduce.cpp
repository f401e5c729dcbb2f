// Reductions: in lanes with several accumulators, loops interchanged where what is reduced are
// rows, or in pieces of segments, several side by side where memory is the limit; short segments as
// a whole, what does not fill a vector under a mask, and very short ones interchanged, too.
#include "ir/value_count.h"
#include "plan/gpu.h"
#include "plan/host_operations.h"
#include "plan/interchange.h"
#include "plan/lane_reductions.h"
#include "plan/lane_values.h"
#include "plan/nested.h"
#include "plan/operators.h"
#include "plan/short_segments.h"
#include "plan/streams.h"
#include "plan/thread_loops.h"
#include "plan/versions.h"

namespace dagaz::plan {

namespace {

class ReductionPlanner {
 public:
  ReductionPlanner(Planning& p, const ir::Statement& statement, ir::SegmentedReduce& e)
      : p_(p), results_(statement.results), e_(e),
        maps_(statement.results.size() > ir::value_count(e.operators)),
        may_interchange_(!maps_ && can_interchange(e)) {}

  void choose() {
    e_.schedule = p_.random ? some() : best();
    p_.wanted.follow(results_, e_.schedule, ir::InPieces{},
                     [this](const ir::Strategy& one) { return completed(one); });
  }

 private:
  ir::Schedule best() {
    std::vector<ir::Version> lanes;
    if (p_.tunables().lanes != 0) lanes = reduction_in_lanes(p_.around, e_, results_);
    if (!maps_ && gains_by_interchange(p_.around, e_)) {
      return versions(std::move(lanes), p_.tiles());
    }
    ir::Schedule schedule = in_versions(std::move(lanes));
    if (!may_interchange_ || p_.tunables().interchange == 0) {
      add_pieces(schedule, {});
      return schedule;
    }
    if (auto segments = segments_in_lanes(e_, results_, p_.around)) {
      add_version(schedule, std::move(segments->when), std::move(segments->strategy));
    }
    const ir::Operand& extent = e_.space.back().extent;
    const auto from = [&](std::int64_t least) {
      return std::vector<ir::Guard>{ir::at_least(extent, least)};
    };
    if (const auto by_segments = segment_loop(e_, p_.around)) {
      add_pieces(schedule, from(by_segments->whole_vectors * p_.tunables().long_segment));
      add_version(schedule, from(p_.tunables().masked_segment), *by_segments);
    } else {
      add_pieces(schedule, from(p_.tunables().interchange_below));
    }
    add_version(schedule, {}, p_.tiles());
    return schedule;
  }

  void add_pieces(ir::Schedule& schedule, std::vector<ir::Guard> when) {
    if (const auto streams = reduction_in_streams(e_, p_.around)) {
      std::vector<ir::Guard> all = when;
      all.insert(all.end(), streams->when.begin(), streams->when.end());
      add_version(schedule, std::move(all), streams->strategy);
    }
    add_version(schedule, std::move(when), ir::InPieces{});
  }

  ir::Schedule some() {
    std::vector<ir::Strategy> ways;
    if (may_interchange_) ways.emplace_back(p_.some_tiles());
    if (const auto whole = segment_loop(e_, p_.around)) {
      ways.emplace_back(p_.random->by_segments(*whole));
    }
    const ir::LaneBlocks drawn = p_.random->blocks_of_segments();
    if (const auto segments =
            completed_segments(e_, results_, drawn.width, drawn.ahead, p_.around)) {
      ways.emplace_back(*segments);
    }
    std::vector<ir::Version> lanes;
    const auto values = static_cast<int>(ir::value_count(e_.operators));
    const auto sized =
        completed_blocks(p_.around, e_, results_, p_.random->blocks_of_reduction(values));
    if (sized) lanes.push_back(*sized);
    if (can_read_streams(e_)) ways.emplace_back(p_.random->streams());
    return p_.random->reduction(std::move(lanes), std::move(ways));
  }

  std::optional<ir::Version> completed(const ir::Strategy& one) const {
    const auto* blocks = as<ir::LaneBlocks>(one);
    if (blocks != nullptr && are_segments(*blocks, e_)) {
      auto segments = completed_segments(e_, results_, blocks->width, blocks->ahead, p_.around);
      if (!segments) return std::nullopt;
      keep_wanted(segments->fetched, blocks->fetched);
      return ir::Version{{}, std::move(*segments)};
    }
    if (blocks != nullptr) {
      return completed_blocks(p_.around, e_, results_, *blocks);
    }
    if (const auto* wanted = as<ir::BySegments>(one)) {
      auto segments = segment_loop(e_, p_.around);
      if (!segments) return std::nullopt;
      keep_wanted(segments->fetched, wanted->fetched);
      static_cast<ir::Iterations&>(*segments) = *wanted;
      segments->ahead = wanted->ahead;
      return ir::Version{{}, *segments};
    }
    const bool follows = as<ir::Interchanged>(one) ? may_interchange_
                                                   : as<ir::InPieces>(one) && can_read_streams(e_);
    return follows ? std::optional(ir::Version{{}, one}) : std::nullopt;
  }

  Planning& p_;
  const std::vector<ir::Binder>& results_;
  ir::SegmentedReduce& e_;
  bool maps_;  // besides reducing
  bool may_interchange_;
};

}  // namespace

void plan_reduce(Planning& p, const ir::Statement& statement, ir::SegmentedReduce& e) {
  if (!p.on_cpu()) {
    p.on_gpu(statement.results, e.schedule, gpu_reduction(e, p.around, p.names));
  } else if (p.may_choose(statement.operation)) {
    ReductionPlanner(p, statement, e).choose();
    const int link = link_of_stretches(e.schedule, p.tunables());
    if (link != 0) p.note_link(statement.results, link, e.schedule);
  } else {
    e.schedule = only(ir::InPieces{});
  }
  p.note_work(e.body, e.result_types, e.schedule);
  p.note_vectors(e.body, e.schedule);
  plan_nested(p, e.body);
  for (ir::ReduceOperator& one : e.operators) plan_operator(p, one.op);
}

}  // namespace dagaz::plan
