// Forward mode of scatters and accumulators: tangents are written to the same places.
#include "passes/ad/lists.h"
#include "passes/ad/rules/forward_rules.h"

namespace dagaz::passes::ad {

using namespace ir;

// Where several writes meet, which one wins is unspecified for the values and for the tangents.
void tangent_rule(Forward& f, const Statement& statement, const Scatter& scatter) {
  Scatter result;
  result.width = f.environment.operand(scatter.width);
  const Slots array_slots = f.tangents.slots(scatter.arrays);
  result.arrays = f.tangents.dual_names(scatter.arrays, array_slots);
  const Slots target_slots = f.tangents.slots(statement.results);
  for (const ScatterTarget& each : scatter.targets) {
    result.targets.push_back(
        {f.environment.operands(each.shape), f.environment.name(each.destination)});
  }
  for (const Slot& slot : target_slots) {
    const ScatterTarget& target = scatter.targets[slot.index];
    result.targets.push_back({f.environment.operands(target.shape),
                              f.tangents.or_zero(target.destination, slot.direction).name()});
  }
  result.map.parameters = f.tangents.dual_binders(scatter.map.parameters, array_slots);
  {
    NestedScope scope(f.environment);
    emit_dual(f, scatter.map.body.statements);
    std::vector<Operand> results = f.environment.operands(scatter.map.body.results);
    result.map.result_types = f.tangents.dual_types(scatter.map.result_types, {});
    std::vector<std::size_t> starts;
    std::size_t next = 0;
    for (const ScatterTarget& target : scatter.targets) {
      starts.push_back(next);
      next += target.shape.size() + 1;
    }
    for (const Slot& slot : target_slots) {
      const std::size_t rank = scatter.targets[slot.index].shape.size();
      for (std::size_t i = 0; i <= rank; ++i) {
        const std::size_t place = starts[slot.index] + i;
        const Operand original = scatter.map.body.results[place];
        results.push_back(i < rank ? f.environment.operand(original)
                                   : f.tangents.or_zero(original, slot.direction));
        result.map.result_types.push_back(result.map.result_types[place]);
      }
    }
    result.map.body = scope.take(std::move(results));
  }
  f.environment.emit_bound(statement, std::move(result),
                           f.tangents.dual_binders(statement.results, target_slots));
}

// The accumulators of the tangents stand after those of the values, and what is given back
// likewise.
void tangent_rule(Forward& f, const Statement& statement, const WithAccumulator& with) {
  const std::size_t count = with.inputs.size();
  WithAccumulator result;
  std::vector<Directions> directions;
  for (std::size_t i = 0; i < count; ++i) {
    const AccumulatorInput& input = with.inputs[i];
    directions.push_back(f.tangents.dependence().of(with.body.parameters[i].name));
    AccumulatorInput copy{f.environment.operands(input.shape), f.environment.name(input.array),
                          std::nullopt, f.environment.operands(input.neutral)};
    if (input.op) copy.op = f.environment.copy_lambda(*input.op);
    result.inputs.push_back(std::move(copy));
  }
  const Slots along = f.tangents.slots_of(directions);
  for (const Slot& slot : along) {
    const AccumulatorInput& input = with.inputs[slot.index];
    AccumulatorInput copy = result.inputs[slot.index];
    copy.array = f.tangents.or_zero(input.array, slot.direction).name();
    if (input.op) {
      copy.op = f.environment.copy_lambda(*input.op);
      copy.neutral = {f.environment.zero(f.environment.type_of(input.neutral[0]))};
    }
    result.inputs.push_back(std::move(copy));
  }
  const auto& originals = with.body.body.results;
  const std::vector<Operand> given_back = part(originals, 0, count);
  const std::vector<Operand> others = part(originals, count, originals.size());
  const Slots other_slots = f.tangents.slots(others);
  result.body.parameters = f.tangents.dual_binders(with.body.parameters, along);
  {
    NestedScope scope(f.environment);
    emit_dual(f, with.body.body.statements);
    result.body.body = scope.take(concatenated(f.tangents.dual_operands(given_back, along),
                                               f.tangents.dual_operands(others, other_slots)));
  }
  const auto& types = with.body.result_types;
  result.body.result_types =
      concatenated(f.tangents.dual_types(part(types, 0, count), along),
                   f.tangents.dual_types(part(types, count, types.size()), other_slots));
  const auto& results = statement.results;
  f.environment.emit_bound(
      statement, std::move(result),
      concatenated(f.tangents.dual_binders(part(results, 0, count), along),
                   f.tangents.dual_binders(part(results, count, results.size()), other_slots)));
}

void tangent_rule(Forward& f, const Statement& statement, const Accumulate& accumulate) {
  f.environment.copy_statement(statement);
  f.tangents.bind_each(statement, f.tangents.dependence().of(accumulate.accumulator), [&](int j) {
    return f.environment.out().add(Accumulate{f.tangents.or_zero(accumulate.accumulator, j).name(),
                                              f.environment.operands(accumulate.indices),
                                              f.tangents.or_zero(accumulate.value, j)},
                                   "tangent");
  });
}

}  // namespace dagaz::passes::ad
