#include "plan/short_segments.h"

#include <algorithm>

#include "ir/value_count.h"
#include "plan/element_reads.h"
#include "plan/lane_shapes.h"
#include "plan/operators.h"
#include "plan/thread_loops.h"
#include "plan/versions.h"
#include "support/match.h"

namespace dagaz::plan {

namespace {

constexpr std::int64_t least_gathered = 4;  // bytes of what processors gather

std::vector<ElementRead> reads_of(const ir::SegmentedReduce& reduction,
                                  const Surroundings& around) {
  return element_reads(reduction.body, reduction.space.back().index.name, around);
}

/// The reads whose elements lie side by side in a segment of their own.
std::vector<ir::NameId> reads_of_segments(const ir::SegmentedReduce& reduction,
                                          const Surroundings& around) {
  std::vector<ir::NameId> reads;
  for (const ElementRead& one : reads_of(reduction, around)) {
    if (one.of_segment) reads.push_back(one.result);
  }
  return reads;
}

/// Bytes of the longest number that is read or carried.
std::int64_t longest_number(const ir::SegmentedReduce& reduction, const ir::Names& names) {
  std::int64_t longest = least_gathered;
  for (const ir::ReduceOperator& one : reduction.operators) {
    for (const ir::Type& type : one.op.result_types) {
      longest = std::max(longest, ir::byte_size(type.element));
    }
  }
  for (const ir::Statement& one : reduction.body.statements) {
    if (as<ir::Index>(one.operation)) {
      longest = std::max(longest, ir::byte_size(names.type(one.results[0].name).element));
    }
  }
  return longest;
}

bool are_straight(const ir::SegmentedReduce& reduction) {
  return is_straight(reduction.body) &&
         std::all_of(reduction.operators.begin(), reduction.operators.end(),
                     [](const ir::ReduceOperator& one) { return is_straight(one.op.body); });
}

/// Whether elements are read of segments, and otherwise such as are the same for all of these.
bool reads_segments(const ir::SegmentedReduce& reduction, const Surroundings& around) {
  const std::vector<ElementRead> reads = reads_of(reduction, around);
  const std::vector<ir::Statement>& body = reduction.body.statements;
  const auto elements = std::count_if(body.begin(), body.end(), [&](const ir::Statement& one) {
    return as<ir::Index>(one.operation) && around.names.type(one.results[0].name).is_scalar();
  });
  const auto is_gathered = [&](const ElementRead& one) {
    return ir::byte_size(around.names.type(one.result).element) >= least_gathered;
  };
  return elements == std::ssize(reads) && std::all_of(reads.begin(), reads.end(), is_gathered) &&
         std::any_of(reads.begin(), reads.end(),
                     [](const ElementRead& one) { return one.of_segment; });
}

}  // namespace

std::optional<ir::LaneBlocks> completed_segments(const ir::SegmentedReduce& reduction,
                                                 const std::vector<ir::Binder>& results, int width,
                                                 int ahead, const Surroundings& around) {
  const bool only_reduces = results.size() == ir::value_count(reduction.operators);
  const bool has_scalars =
      std::all_of(reduction.operators.begin(), reduction.operators.end(),
                  [](const ir::ReduceOperator& one) { return are_scalars(one.op.result_types); });
  const bool has_width = is_power_of_two(width) && width >= 2 && width <= most_lanes;
  if (reduction.space.size() < 2 || !only_reduces || !has_scalars || !has_width) {
    return std::nullopt;
  }
  ir::LaneBlocks blocks;
  blocks.points = static_cast<int>(reduction.space.size()) - 2;
  blocks.width = width;
  blocks.remainder = ir::Remainder::serialised;
  LaneReading lanes(around, blocks);
  std::vector<std::vector<LaneValue>> running;
  for (const ir::ReduceOperator& one : reduction.operators) {
    running.push_back(lanes.start(one.neutral));
  }
  for (std::size_t d = 0; d < reduction.space.size(); ++d) {
    lanes.bind_index(reduction.space[d].index.name, false, std::cmp_equal(d, blocks.points));
  }
  const std::vector<LaneResult> values = lanes.read(
      reduction.body, std::vector<std::optional<LaneArrayValue>>(reduction.body.results.size()));
  if (!lanes.is_legal()) return std::nullopt;
  auto next = values.begin();
  for (std::size_t k = 0; k < running.size(); ++k) {
    std::vector<LaneValue> inputs;
    for (std::size_t v = 0; v < running[k].size(); ++v, ++next) {
      if (!next->scalar) return std::nullopt;
      inputs.push_back(*next->scalar);
    }
    lanes.combine(reduction.operators[k].op, running[k], inputs);
  }
  if (!lanes.is_legal()) return std::nullopt;
  blocks = lanes.blocks();
  blocks.ahead = ahead;
  if (ahead != 0) blocks.fetched = reads_of_segments(reduction, around);
  return blocks;
}

std::optional<ir::Version> segments_in_lanes(const ir::SegmentedReduce& reduction,
                                             const std::vector<ir::Binder>& results,
                                             const Surroundings& around) {
  const Tunables& tunables = around.tunables();
  if (tunables.gathered_segment == 0 || !around.target.has_masks || !are_straight(reduction) ||
      !reads_segments(reduction, around)) {
    return std::nullopt;
  }
  const auto width = static_cast<int>(around.target.register_bytes /
                                      longest_number(reduction, around.names));
  auto blocks = completed_segments(reduction, results, width,
                                   static_cast<int>(tunables.segments_ahead), around);
  if (!blocks) return std::nullopt;
  const std::size_t outer = reduction.space.size() - 2;
  // A segment that nearly fills a vector is better read as one.
  const std::int64_t most = std::min<std::int64_t>(tunables.gathered_segment, width - 2);
  return ir::Version{{at_most(reduction.space.back().extent, most),
                      ir::at_least(reduction.space[outer].extent, 2 * width)},
                     std::move(*blocks)};
}

}  // namespace dagaz::plan
