#include "plan/streams.h"

#include <algorithm>

#include "ir/cost.h"
#include "ir/value_count.h"
#include "plan/element_reads.h"
#include "plan/operators.h"
#include "support/match.h"

namespace dagaz::plan {

namespace {

constexpr int smallest_element = 4;  // of what is read in long streams

/// Bytes of an element that only its own segment reads.
std::int64_t streamed_bytes(const ir::SegmentedReduce& reduction, const Surroundings& around) {
  const bool has_segments = reduction.space.size() > 1;
  std::int64_t bytes = 0;
  for (const ElementRead& one :
       element_reads(reduction.body, reduction.space.back().index.name, around)) {
    if (has_segments && !one.of_segment) continue;
    bytes += ir::byte_size(around.names.type(one.result).element);
  }
  return bytes;
}

std::int64_t operations_of(const ir::Body& body) {
  std::int64_t operations = 0;
  for (const ir::Statement& one : body.statements) {
    const auto* scalar = as<ir::Scalar>(one.operation);
    if (scalar != nullptr) operations += ir::cost_of(scalar->op);
  }
  return operations;
}

/// A quarter of the registers hold running values, the others what LLVM interleaves.
std::int64_t most_streams(const ir::SegmentedReduce& reduction, const TargetDescription& target) {
  const auto values = static_cast<std::int64_t>(ir::value_count(reduction.operators));
  const std::int64_t held = target.registers / 4 / std::max<std::int64_t>(values, 1);
  return std::min(target.tunables.sum_streams, held);
}

}  // namespace

bool can_read_streams(const ir::SegmentedReduce& reduction) {
  return reduction.result_types.size() == ir::value_count(reduction.operators) &&
         is_straight(reduction.body.statements) &&
         std::all_of(
             reduction.operators.begin(), reduction.operators.end(),
             [](const ir::ReduceOperator& one) { return are_scalars(one.op.result_types); });
}

std::optional<ir::Version> reduction_in_streams(const ir::SegmentedReduce& reduction,
                                                const Surroundings& around) {
  const Tunables& tunables = around.tunables();
  const bool is_simple_sum =
      can_read_streams(reduction) &&
      std::all_of(reduction.operators.begin(), reduction.operators.end(),
                  [](const ir::ReduceOperator& one) { return is_simple(one.op); });
  if (!is_simple_sum || operations_of(reduction.body) > tunables.stream_operations) {
    return std::nullopt;
  }
  const std::int64_t bytes = streamed_bytes(reduction, around);
  const std::int64_t streams = most_streams(reduction, around.target);
  if (bytes == 0 || streams < 2) return std::nullopt;
  ir::Product elements;
  for (const ir::SpaceDimension& one : reduction.space) elements.sizes.push_back(one.extent);
  const ir::InPieces pieces{.streams = static_cast<int>(streams),
                            .line = around.target.cache_line_bytes / smallest_element};
  return ir::Version{{{elements, {tunables.streams_bytes / bytes, {}}}}, pieces};
}

}  // namespace dagaz::plan
