// Forward mode of scatters and accumulators: tangents are written to the same places.
#include "passes/ad/forward.h"
#include "passes/ad/lists.h"

namespace dagaz::passes::ad {

using namespace ir;

// Where several writes meet, which one wins is unspecified for the values and for the tangents.
void Forward::rule(const Statement& statement, const Scatter& scatter) {
  Environment& environment = *environment_;
  Scatter result;
  result.width = environment.operand(scatter.width);
  const Slots array_slots = slots(scatter.arrays);
  result.arrays = dual_names(scatter.arrays, array_slots);
  const Slots target_slots = slots(statement.results);
  for (const ScatterTarget& each : scatter.targets) {
    result.targets.push_back(
        {environment.operands(each.shape), environment.name(each.destination)});
  }
  for (const Slot& slot : target_slots) {
    const ScatterTarget& target = scatter.targets[slot.index];
    result.targets.push_back({environment.operands(target.shape),
                              tangent_or_zero(target.destination, slot.direction).name()});
  }
  result.map.parameters = dual_binders(scatter.map.parameters, array_slots);
  {
    NestedScope scope(environment);
    emit(scatter.map.body.statements);
    std::vector<Operand> results = environment.operands(scatter.map.body.results);
    result.map.result_types = dual_types(scatter.map.result_types, {});
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
        results.push_back(i < rank ? environment.operand(original)
                                   : tangent_or_zero(original, slot.direction));
        result.map.result_types.push_back(result.map.result_types[place]);
      }
    }
    result.map.body = scope.take(std::move(results));
  }
  environment.emit_bound(statement, std::move(result),
                         dual_binders(statement.results, target_slots));
}

// The accumulators of the tangents stand after those of the values, and what is given back likewise.
void Forward::rule(const Statement& statement, const WithAccumulator& with) {
  Environment& environment = *environment_;
  const std::size_t count = with.inputs.size();
  WithAccumulator result;
  std::vector<Directions> directions;
  for (std::size_t i = 0; i < count; ++i) {
    const AccumulatorInput& input = with.inputs[i];
    directions.push_back(dependence_.of(with.body.parameters[i].name));
    AccumulatorInput copy{environment.operands(input.shape), environment.name(input.array),
                          std::nullopt, environment.operands(input.neutral)};
    if (input.op) copy.op = environment.copy_lambda(*input.op);
    result.inputs.push_back(std::move(copy));
  }
  const Slots along = slots_of(directions);
  for (const Slot& slot : along) {
    const AccumulatorInput& input = with.inputs[slot.index];
    AccumulatorInput copy = result.inputs[slot.index];
    copy.array = tangent_or_zero(input.array, slot.direction).name();
    if (input.op) {
      copy.op = environment.copy_lambda(*input.op);
      copy.neutral = {environment.zero(environment.type_of(input.neutral[0]))};
    }
    result.inputs.push_back(std::move(copy));
  }
  const auto& originals = with.body.body.results;
  const std::vector<Operand> given_back = part(originals, 0, count);
  const std::vector<Operand> others = part(originals, count, originals.size());
  const Slots other_slots = slots(others);
  result.body.parameters = dual_binders(with.body.parameters, along);
  {
    NestedScope scope(environment);
    emit(with.body.body.statements);
    result.body.body = scope.take(concatenated(dual_operands(given_back, along),
                                               dual_operands(others, other_slots)));
  }
  const auto& types = with.body.result_types;
  result.body.result_types =
      concatenated(dual_types(part(types, 0, count), along),
                   dual_types(part(types, count, types.size()), other_slots));
  const auto& results = statement.results;
  environment.emit_bound(
      statement, std::move(result),
      concatenated(dual_binders(part(results, 0, count), along),
                   dual_binders(part(results, count, results.size()), other_slots)));
}

void Forward::rule(const Statement& statement, const Accumulate& accumulate) {
  Environment& environment = *environment_;
  environment.copy_statement(statement);
  each_direction(statement, dependence_.of(accumulate.accumulator), [&](int j) {
    return environment.out().add(
        Accumulate{tangent_or_zero(accumulate.accumulator, j).name(),
                   environment.operands(accumulate.indices),
                   tangent_or_zero(accumulate.value, j)},
        "tangent");
  });
}

}  // namespace dagaz::passes::ad
