#include "plan/thread_loops.h"

#include <algorithm>

#include "ir/cost.h"
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

ir::Pointwise loop_of(const Iteration& iteration, const TargetDescription& target) {
  const bool has_masks =
      target.tunables.masked_rests != 0 && target.register_bytes > bytes_without_masks;
  if (!has_masks || !iteration.has_straight_calls()) return {};
  return {.whole_vectors = target.register_bytes / least_element_bytes};
}

}  // namespace

ir::Pointwise thread_loop(const ir::MapScanReduce& map, const TargetDescription& target) {
  if (!map.scans.empty()) return {};
  Iteration iteration;
  iteration.add(map.map.body);
  for (const ir::ReduceOperator& one : map.reductions) iteration.add(one.op.body);
  if (map.post) iteration.add(map.post->body);
  return loop_of(iteration, target);
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
