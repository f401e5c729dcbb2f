#include "plan/thread_loops.h"

#include <algorithm>

#include "ir/cost.h"
#include "plan/element_reads.h"
#include "plan/operators.h"
#include "support/match.h"

namespace dagaz::plan {

namespace {

// Elements of functions of reals take four bytes at least; vectors of 16 bytes have no masks.
constexpr int least_element_bytes = 4;
constexpr int bytes_without_masks = 16;

class Iteration {
 public:
  /// Reads `body`.
  void add(const ir::Body& body) {
    calls_ = calls_ || plan::calls_functions(body);
    straight_ = straight_ && is_straight(body);
  }
  bool has_straight_calls() const { return straight_ && calls_; }

 private:
  bool straight_ = true;
  bool calls_ = false;
};

bool has_masks(const TargetDescription& target) {
  return target.tunables.masked_rests != 0 && target.register_bytes > bytes_without_masks;
}

ir::Pointwise loop_of(const Iteration& iteration, const TargetDescription& target) {
  if (!has_masks(target) || !iteration.has_straight_calls()) return {};
  return {{.whole_vectors = target.register_bytes / least_element_bytes}};
}

/// Whether it is an operator whose applications LLVM can neither reorder nor make vectors of.
bool waits(const ir::Lambda& op) {
  return are_scalars(op.result_types) && !is_simple(op) && is_straight(op.body);
}

/// Bytes of the longest element that is read or carried: LLVM makes vectors of as many elements as
/// there are of these in a register.
std::int64_t longest_element(const ir::SegmentedReduce& reduction, const ir::Names& names) {
  std::int64_t longest = 1;
  const auto count = [&](const ir::Type& type) {
    longest = std::max(longest, ir::byte_size(type.element));
  };
  for (const ir::ReduceOperator& one : reduction.operators) {
    for (const ir::Type& type : one.op.result_types) count(type);
  }
  for (const ir::Statement& one : reduction.body.statements) {
    if (as<ir::Index>(one.operation)) count(names.type(one.results[0].name));
  }
  return longest;
}

/// The reads whose elements lie side by side in a segment, each of which has its own.
std::vector<ir::NameId> reads_of_segments(const ir::SegmentedReduce& reduction,
                                          const Surroundings& around) {
  std::vector<ir::NameId> reads;
  for (const ElementRead& one :
       element_reads(reduction.body, reduction.space.back().index.name, around)) {
    if (one.of_segment) reads.push_back(one.result);
  }
  return reads;
}

}  // namespace

std::optional<ir::BySegments> segment_loop(const ir::SegmentedReduce& reduction,
                                           const Surroundings& around) {
  const bool in_vectors =
      has_masks(around.target) && is_straight(reduction.body) &&
      std::all_of(reduction.operators.begin(), reduction.operators.end(),
                  [](const ir::ReduceOperator& one) {
                    return are_scalars(one.op.result_types) && is_simple(one.op);
                  });
  if (!in_vectors) return std::nullopt;
  const std::int64_t element = longest_element(reduction, around.names);
  const int ahead = static_cast<int>(around.tunables().segments_ahead);
  return ir::BySegments{
      {.whole_vectors = static_cast<int>(around.target.register_bytes / element)},
      ahead == 0 ? std::vector<ir::NameId>() : reads_of_segments(reduction, around),
      ahead};
}

ir::Pointwise thread_loop(const ir::MapScanReduce& map, const TargetDescription& target) {
  if (!map.scans.empty()) return {};
  Iteration iteration;
  iteration.add(map.map.body);
  for (const ir::ReduceOperator& one : map.reductions) iteration.add(one.op.body);
  if (map.post) iteration.add(map.post->body);
  ir::Pointwise loop = loop_of(iteration, target);
  loop.rolled = std::any_of(map.reductions.begin(), map.reductions.end(),
                            [](const ir::ReduceOperator& one) { return waits(one.op); });
  return loop;
}

bool calls_functions(const ir::Body& body) {
  return std::any_of(body.statements.begin(), body.statements.end(), [](const ir::Statement& one) {
    const auto* scalar = as<ir::Scalar>(one.operation);
    return scalar != nullptr && ir::is_transcendental(scalar->op);
  });
}

bool is_straight(const ir::Body& body) {
  return std::all_of(body.statements.begin(), body.statements.end(), [](const ir::Statement& one) {
    return as<ir::Scalar>(one.operation) != nullptr || as<ir::Identity>(one.operation) != nullptr ||
           as<ir::Index>(one.operation) != nullptr;
  });
}

ir::Pointwise point_loop(const ir::SegmentedMap& map, const TargetDescription& target) {
  Iteration iteration;
  iteration.add(map.body);
  return loop_of(iteration, target);
}

}  // namespace dagaz::plan
