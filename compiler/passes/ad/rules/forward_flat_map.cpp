// Forward mode of flatmap: the segments of the tangents are as long as those of the values.
#include "passes/ad/forward.h"
#include "passes/ad/lists.h"

namespace dagaz::passes::ad {

using namespace ir;

// The body's results are the segment's length, what varies in size, and what does not; the
// statement's are three arrays of sizes and places, then the same.
void Forward::rule(const Statement& statement, const FlatMap& flat_map) {
  Environment& environment = *environment_;
  const auto varying = static_cast<std::size_t>(flat_map.varying);
  FlatMap result;
  result.width = environment.operand(flat_map.width);
  const Slots array_slots = slots(flat_map.arrays);
  result.arrays = dual_names(flat_map.arrays, array_slots);
  result.map.parameters = dual_binders(flat_map.map.parameters, array_slots);
  const auto& originals = flat_map.map.body.results;
  const std::vector<Operand> segments = part(originals, 1, 1 + varying);
  const std::vector<Operand> uniform = part(originals, 1 + varying, originals.size());
  const Slots segment_slots = slots(segments);
  const Slots uniform_slots = slots(uniform);
  {
    NestedScope scope(environment);
    emit(flat_map.map.body.statements);
    std::vector<Operand> results = {environment.operand(originals[0])};
    results = concatenated(std::move(results), dual_operands(segments, segment_slots));
    results = concatenated(std::move(results), dual_operands(uniform, uniform_slots));
    result.map.body = scope.take(std::move(results));
  }
  const auto& types = flat_map.map.result_types;
  result.map.result_types =
      concatenated(concatenated(dual_types({types[0]}, {}),
                                dual_types(part(types, 1, 1 + varying), segment_slots)),
                   dual_types(part(types, 1 + varying, types.size()), uniform_slots));
  result.varying = flat_map.varying + static_cast<int>(segment_slots.size());

  const auto& results = statement.results;
  std::vector<Binder> binders = environment.bind_fresh(part(results, 0, 3));
  binders = concatenated(std::move(binders),
                         dual_binders(part(results, 3, 3 + varying), segment_slots));
  binders = concatenated(std::move(binders),
                         dual_binders(part(results, 3 + varying, results.size()), uniform_slots));
  environment.emit_bound(statement, std::move(result), binders);
}

}  // namespace dagaz::passes::ad
