#include "plan/lane_scans.h"

#include <algorithm>

#include "ir/cost.h"
#include "plan/operators.h"
#include "plan/target.h"
#include "plan/versions.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::NameId;

namespace {

bool are_scalars(const std::vector<LaneResult>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](const LaneResult& one) { return one.scalar.has_value(); });
}

/// What the operators and the lambda after them give in lanes.
std::vector<LaneResult> read_outputs(LaneReading& lanes, const ir::SegmentedScan& scan,
                                     const std::vector<LaneResult>& values) {
  std::vector<LaneResult> outputs;
  for (const ir::ScanOperator& one : scan.operators) {
    const std::vector<LaneValue> running = lanes.start(one.neutral);
    std::vector<LaneValue> inputs;
    for (std::size_t v = 0; v < running.size(); ++v) {
      inputs.push_back(*values[outputs.size() + v].scalar);
    }
    lanes.combine(one.op, running, inputs);
    for (const LaneValue& value : running) outputs.push_back({value, std::nullopt});
  }
  outputs.insert(outputs.end(), values.begin() + static_cast<std::ptrdiff_t>(outputs.size()),
                 values.end());
  return scan.post ? lanes.lambda(*scan.post, outputs, {}) : outputs;
}

/// What points do in these blocks; nothing where they cannot run so.
std::optional<LaneWork> work_in_lanes(const ScanAt& at, const ir::LaneBlocks& blocks) {
  const ir::SegmentedScan& scan = at.scan;
  for (const ir::ScanOperator& one : scan.operators) {
    if (!plan::are_scalars(one.op.result_types)) return std::nullopt;
  }
  LaneReading lanes(at.around, blocks);
  for (std::size_t d = 0; d < scan.space.size(); ++d) {
    lanes.bind_index(scan.space[d].index.name, false, d + 1 == scan.space.size());
  }
  const std::vector<LaneResult> values = lanes.read(scan.body, {});
  if (!lanes.is_legal() || !are_scalars(values)) return std::nullopt;
  const std::vector<LaneResult> outputs = read_outputs(lanes, scan, values);
  if (!lanes.is_legal() || !are_scalars(outputs)) return std::nullopt;
  for (std::size_t k = 0; k < at.results.size(); ++k) {
    const ir::Type& type = at.around.names.type(at.results[k].name);
    if (type.kind != ir::TypeKind::value) return std::nullopt;
    const ir::Type element = ir::scalar_of(type.element);
    lanes.put(lanes.target(scan.space, element, at.around.layouts.of(at.results[k].name)),
              outputs[k], element);
  }
  const ir::LaneBlocks& read = lanes.blocks();
  const bool fits = lanes.is_legal() && read.serialised.empty() && read.packed.empty() &&
                    read.inner_rows.empty();
  return fits ? std::optional(lanes.work()) : std::nullopt;
}

bool are_simple(const std::vector<ir::ScanOperator>& operators) {
  return std::all_of(operators.begin(), operators.end(),
                     [](const ir::ScanOperator& one) { return is_simple(one.op); });
}

/// Totals by simple operators need no blocks: vectors of them run side by side.
ir::LaneBlocks of_scan(const ScanAt& at, int width) {
  ir::LaneBlocks blocks;
  blocks.points = static_cast<int>(at.scan.space.size()) - 1;
  blocks.width = width;
  blocks.remainder = ir::Remainder::serialised;
  blocks.totals = !are_simple(at.scan.operators);
  return blocks;
}

std::optional<ir::Version> in_lanes(const ScanAt& at, int width) {
  const bool has_shape = is_power_of_two(width) && width >= 2 && width <= most_lanes;
  if (!has_shape || at.scan.space.empty() || is_known_below(at.scan.space.back().extent, width)) {
    return std::nullopt;
  }
  const ir::LaneBlocks blocks = of_scan(at, width);
  if (!work_in_lanes(at, blocks)) return std::nullopt;
  return ir::Version{{}, blocks};
}

bool has_flags(const ir::ScanOperator& scan) {
  return std::any_of(scan.op.result_types.begin(), scan.op.result_types.end(),
                     [](const ir::Type& type) { return type.element == ir::ScalarType::boolean; });
}

/// Lanes of one register, so that no operation waits for two.  Where the operator is several
/// operations, it is they that wait for those of the block before: then of two, unless it carries
/// flags, of which masks would have to be cut in halves.
int lanes_of_block(const ScanAt& at) {
  std::int64_t longest = 1;
  for (const ir::Type& type : at.scan.result_types) {
    longest = std::max(longest, ir::byte_size(type.element));
  }
  const auto lanes = static_cast<int>(at.around.target.register_bytes / longest);
  const bool cuts_masks =
      at.around.target.has_masks &&
      std::any_of(at.scan.operators.begin(), at.scan.operators.end(), has_flags);
  return are_simple(at.scan.operators) || cuts_masks ? lanes : std::min(2 * lanes, most_lanes);
}

/// Processors divide integers of eight bytes one by one.
bool divides_integers(const ir::Body& body) {
  return std::any_of(body.statements.begin(), body.statements.end(), [](const ir::Statement& one) {
    const auto* scalar = as<ir::Scalar>(one.operation);
    return scalar != nullptr && ir::is_integer(scalar->type) && ir::byte_size(scalar->type) > 4 &&
           ir::cost_class(scalar->op) == ir::CostClass::division;
  });
}

/// Whether the operator is a few operations that processors have for vectors.
bool is_short(const ir::Lambda& op, std::int64_t most) {
  std::int64_t cost = 0;
  for (const ir::Statement& one : op.body.statements) {
    const auto* scalar = as<ir::Scalar>(one.operation);
    if (scalar == nullptr || !ir::is_cheap(scalar->op)) return false;
    cost += ir::cost_of(scalar->op);
  }
  return cost <= most;
}

/// Lanes apply the operator log₂ of their number times where points apply it once each: little where
/// it is short, and lanes are neighbours in memory; points one by one wait for each other as long as
/// it takes.  What lanes have to do one by one they also have to take apart and to bring together.
bool pays_in_lanes(const ScanAt& at, int width) {
  if (at.around.tunables().lanes == 0 || has_loops(at.scan.body)) return false;
  if (divides_integers(at.scan.body) || (at.scan.post && divides_integers(at.scan.post->body))) {
    return false;
  }
  const auto work = work_in_lanes(at, of_scan(at, width));
  return work && work->all_gathers == 0 &&
         std::all_of(at.scan.operators.begin(), at.scan.operators.end(),
                     [&](const ir::ScanOperator& one) {
                       return is_simple(one.op) || is_short(one.op, at.around.tunables().lane_scan);
                     });
}

/// Whether the points of the loop can run `width` at a time.
bool can_run_in_lanes(const Surroundings& around, const Compaction& compaction, int width) {
  ir::LaneBlocks blocks;
  blocks.width = width;
  LaneReading lanes(around, blocks);
  for (const NameId index : compaction.indices) lanes.bind_index(index, false, true);
  const std::vector<LaneResult> results = lanes.read(compaction.body, {});
  const ir::LaneBlocks& read = lanes.blocks();
  return lanes.is_legal() && are_scalars(results) && read.serialised.empty() &&
         read.packed.empty() && read.inner_rows.empty() &&
         reads_enough_in_steps(lanes.work(), around.tunables());
}

/// The widest vectors whose lanes one instruction brings together; 1 where there is none, or where
/// the points cannot run in lanes.
int lanes_of_compaction(const Surroundings& around, const Compaction& compaction) {
  // There are such instructions for numbers of 4 and 8 bytes; shorter ones are made longer.
  constexpr std::int64_t shortest = 4;
  if (!around.target.has_masks || around.tunables().lanes == 0) return 1;
  std::int64_t longest = shortest;
  for (const Compaction::List& list : compaction.lists) {
    for (const Compaction::Target& target : list.targets) {
      longest = std::max(longest, ir::byte_size(around.names.type(target.destination).element));
    }
  }
  const int width = static_cast<int>(around.target.register_bytes / longest);
  return can_run_in_lanes(around, compaction, width) ? width : 1;
}

bool may_run_by_segments(const ScanAt& at) {
  return at.scan.space.size() > 1 && !at.compaction;
}

std::optional<ir::Version> as_loop(const ScanAt& at, int width) {
  if (!at.compaction) return std::nullopt;
  if (width > 1 && !can_run_in_lanes(at.around, *at.compaction, width)) return std::nullopt;
  return ir::Version{{}, ir::Compaction{static_cast<int>(at.compaction->statements), width}};
}

}  // namespace

ir::Schedule ways_of_scan(const ScanAt& at) {
  if (at.compaction) {
    return only(as_loop(at, lanes_of_compaction(at.around, *at.compaction))->strategy);
  }
  ir::Schedule schedule;
  if (may_run_by_segments(at)) {
    const ir::Operand& extent = at.scan.space.back().extent;
    add_version(schedule, {at_most(extent, at.around.tunables().rolled_scan)},
                ir::BySegments{{.rolled = true}});
    add_version(schedule, {at_most(extent, at.around.tunables().short_scan - 1)}, ir::BySegments{});
  }
  const int width = lanes_of_block(at);
  const auto lanes = pays_in_lanes(at, width) ? in_lanes(at, width) : std::nullopt;
  add_version(schedule, {}, lanes ? lanes->strategy : ir::InPieces{});
  return schedule;
}

std::optional<ir::Version> completed_scan(const ScanAt& at, const ir::Strategy& strategy) {
  if (const auto* blocks = as<ir::LaneBlocks>(strategy)) {
    auto version = in_lanes(at, blocks->width);
    if (version) std::get<ir::LaneBlocks>(version->strategy).totals = blocks->totals;
    return version;
  }
  if (as<ir::BySegments>(strategy) && may_run_by_segments(at)) return ir::Version{{}, strategy};
  const auto* loop = as<ir::Compaction>(strategy);
  return loop == nullptr ? std::nullopt : as_loop(at, loop->width);
}

}  // namespace dagaz::plan
