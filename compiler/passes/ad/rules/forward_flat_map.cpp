// Forward mode of flatmap: the segments of the tangents are as long as those of the values.
#include "passes/ad/lists.h"
#include "passes/ad/rules/forward_rules.h"

namespace dagaz::passes::ad {

using namespace ir;

// The body's results are the segment's length, what varies in size, and what does not; the
// statement's are three arrays of sizes and places, then the same.
void tangent_rule(Forward& f, const Statement& statement, const FlatMap& flat_map) {
  const auto varying = static_cast<std::size_t>(flat_map.varying);
  FlatMap result;
  result.width = f.environment.operand(flat_map.width);
  const Slots array_slots = f.tangents.slots(flat_map.arrays);
  result.arrays = f.tangents.dual_names(flat_map.arrays, array_slots);
  result.map.parameters = f.tangents.dual_binders(flat_map.map.parameters, array_slots);
  const auto& originals = flat_map.map.body.results;
  const std::vector<Operand> segments = part(originals, 1, 1 + varying);
  const std::vector<Operand> uniform = part(originals, 1 + varying, originals.size());
  const Slots segment_slots = f.tangents.slots(segments);
  const Slots uniform_slots = f.tangents.slots(uniform);
  {
    NestedScope scope(f.environment);
    emit_dual(f, flat_map.map.body.statements);
    std::vector<Operand> results = {f.environment.operand(originals[0])};
    results = concatenated(std::move(results), f.tangents.dual_operands(segments, segment_slots));
    results = concatenated(std::move(results), f.tangents.dual_operands(uniform, uniform_slots));
    result.map.body = scope.take(std::move(results));
  }
  const auto& types = flat_map.map.result_types;
  result.map.result_types =
      concatenated(concatenated(f.tangents.dual_types({types[0]}, {}),
                                f.tangents.dual_types(part(types, 1, 1 + varying), segment_slots)),
                   f.tangents.dual_types(part(types, 1 + varying, types.size()), uniform_slots));
  result.varying = flat_map.varying + static_cast<int>(segment_slots.size());

  const auto& results = statement.results;
  std::vector<Binder> binders = f.environment.bind_fresh(part(results, 0, 3));
  binders = concatenated(std::move(binders),
                         f.tangents.dual_binders(part(results, 3, 3 + varying), segment_slots));
  binders = concatenated(
      std::move(binders),
      f.tangents.dual_binders(part(results, 3 + varying, results.size()), uniform_slots));
  f.environment.emit_bound(statement, std::move(result), binders);
}

}  // namespace dagaz::passes::ad
