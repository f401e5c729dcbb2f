// Forward mode of the second-order operations.  Lambdas get parameters and results for tangents;
// an operator becomes the operator of dual numbers
//   (a, a') ⊙ (b, b') = (a ⊙ b, ∂₁⊙·a' + ∂₂⊙·b'),   neutral (e, 0),
// which is associative because it is ⊙ lifted to first order.  A sum's tangents are sums.
#include <algorithm>

#include "passes/ad/forward.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

std::vector<Type> mapped_types(Environment& environment, const std::vector<Type>& originals) {
  std::vector<Type> types;
  for (const Type& original : originals) types.push_back(environment.type(original));
  return types;
}

}  // namespace

// The parameters of an operator: first operands with their tangents, then second operands.
Lambda Forward::dual_operator(const Lambda& op, const Slots& slots) {
  Environment& environment = *environment_;
  const std::size_t arity = op.parameters.size() / 2;
  Lambda result;
  for (std::size_t side = 0; side < 2; ++side) {
    const auto begin = op.parameters.begin() + static_cast<std::ptrdiff_t>(side * arity);
    const std::vector<Binder> parameters(begin, begin + static_cast<std::ptrdiff_t>(arity));
    for (const Binder& each : environment.bind_fresh(parameters)) result.parameters.push_back(each);
    for (const Binder& each : bind_fresh(parameters, slots)) result.parameters.push_back(each);
  }
  result.body = extended_body(op.body, slots);
  result.result_types = mapped_types(environment, op.result_types);
  for (const Slot& slot : slots) result.result_types.push_back(result.result_types[slot.index]);
  return result;
}

void Forward::rule(const Statement& statement, const MapScanReduce& map) {
  Environment& environment = *environment_;
  MapScanReduce result;
  result.width = environment.operand(map.width);
  result.sequential = map.sequential;
  const Slots array_slots = slots(map.arrays);
  result.arrays = environment.names_of(map.arrays);
  for (const NameId each : tangent_names(map.arrays, array_slots)) result.arrays.push_back(each);

  // Sizes of neutral elements and their zeros belong before the statement.
  std::vector<Binder> binders;
  std::vector<std::pair<std::vector<Operand>, Slots>> groups;
  std::size_t next_input = 0;
  std::size_t next_result = 0;
  std::vector<Directions> post_directions;
  const auto group = [&](std::size_t count) {
    std::vector<Operand> inputs;
    for (std::size_t i = 0; i < count; ++i) inputs.push_back(map.map.body.results[next_input++]);
    return inputs;
  };
  const auto operator_slots = [&](const Lambda& op) {
    std::vector<Directions> all;
    for (std::size_t i = 0; i < op.parameters.size() / 2; ++i) {
      all.push_back(dependence_.of(op.parameters[i].name));
    }
    return slots_of(all);
  };
  const auto neutrals = [&](const std::vector<Operand>& originals, const Slots& along) {
    std::vector<Operand> result_neutrals = environment.operands(originals);
    for (const Slot& slot : along) {
      result_neutrals.push_back(environment.zero(environment.type_of(originals[slot.index])));
    }
    return result_neutrals;
  };

  for (const ScanOperator& scan : map.scans) {
    const Slots along = operator_slots(scan.op);
    groups.emplace_back(group(scan.neutral.size()), along);
    post_directions.insert(post_directions.end(), scan.neutral.size(), 0);
    if (is_addition(scan.op)) {
      result.scans.push_back({environment.copy_lambda(scan.op), environment.operands(scan.neutral)});
      for (std::size_t i = 0; i < along.size(); ++i) {
        result.scans.push_back({environment.copy_lambda(scan.op),
                                {environment.zero(environment.type_of(scan.neutral[0]))}});
      }
      continue;
    }
    std::vector<Operand> neutral = neutrals(scan.neutral, along);
    result.scans.push_back({dual_operator(scan.op, along), std::move(neutral)});
  }
  for (const ReduceOperator& reduce : map.reductions) {
    const Slots along = operator_slots(reduce.op);
    groups.emplace_back(group(reduce.neutral.size()), along);
    std::vector<Binder> originals;
    for (std::size_t i = 0; i < reduce.neutral.size(); ++i) {
      originals.push_back(statement.results[next_result++]);
    }
    if (is_addition(reduce.op)) {
      result.reductions.push_back({environment.copy_lambda(reduce.op),
                                   environment.operands(reduce.neutral), reduce.commutative});
      for (std::size_t i = 0; i < along.size(); ++i) {
        result.reductions.push_back({environment.copy_lambda(reduce.op),
                                     {environment.zero(environment.type_of(reduce.neutral[0]))},
                                     reduce.commutative});
      }
    } else {
      std::vector<Operand> neutral = neutrals(reduce.neutral, along);
      result.reductions.push_back(
          {dual_operator(reduce.op, along), std::move(neutral), reduce.commutative});
    }
    for (const Binder& each : environment.bind_fresh(originals)) binders.push_back(each);
    for (const Binder& each : bind_fresh(originals, along)) binders.push_back(each);
  }
  const std::vector<Operand> rest = group(map.map.body.results.size() - next_input);
  const Slots rest_slots = slots(rest);
  groups.emplace_back(rest, rest_slots);

  // The map itself.
  result.map.parameters = environment.bind_fresh(map.map.parameters);
  for (const Binder& each : bind_fresh(map.map.parameters, array_slots)) {
    result.map.parameters.push_back(each);
  }
  {
    NestedScope scope(environment);
    emit(map.map.body.statements);
    std::vector<Operand> results;
    for (const auto& [values, along] : groups) {
      for (const Operand& each : environment.operands(values)) results.push_back(each);
      for (const Operand& each : tangents(values, along)) results.push_back(each);
    }
    result.map.body = scope.take(std::move(results));
  }
  std::size_t next_type = 0;
  for (const auto& [values, along] : groups) {
    std::vector<Type> types;
    for (std::size_t i = 0; i < values.size(); ++i) {
      types.push_back(environment.type(map.map.result_types[next_type++]));
    }
    result.map.result_types.insert(result.map.result_types.end(), types.begin(), types.end());
    for (const Slot& slot : along) result.map.result_types.push_back(types[slot.index]);
  }

  // What comes after: post's parameters are laid out like the groups.
  const auto scan_groups = static_cast<std::ptrdiff_t>(map.scans.size());
  const auto reduce_groups = static_cast<std::ptrdiff_t>(map.reductions.size());
  groups.erase(groups.begin() + scan_groups, groups.begin() + scan_groups + reduce_groups);
  const std::vector<Binder> post_results(
      statement.results.begin() + static_cast<std::ptrdiff_t>(next_result),
      statement.results.end());
  const auto in_group_order = [&](const std::vector<Binder>& originals, auto&& add) {
    std::size_t next = 0;
    for (const auto& [values, along] : groups) {
      const auto begin = originals.begin() + static_cast<std::ptrdiff_t>(next);
      const std::vector<Binder> members(begin, begin + static_cast<std::ptrdiff_t>(values.size()));
      next += values.size();
      for (const Binder& each : environment.bind_fresh(members)) add(each);
      for (const Binder& each : bind_fresh(members, along)) add(each);
    }
  };
  if (!map.post) {
    in_group_order(post_results, [&](const Binder& each) { binders.push_back(each); });
  } else {
    Lambda post;
    in_group_order(map.post->parameters, [&](const Binder& each) {
      post.parameters.push_back(each);
    });
    const Slots along = slots(map.post->body.results);
    post.body = extended_body(map.post->body, along);
    post.result_types = mapped_types(environment, map.post->result_types);
    for (const Slot& slot : along) post.result_types.push_back(post.result_types[slot.index]);
    result.post = std::move(post);
    for (const Binder& each : environment.bind_fresh(post_results)) binders.push_back(each);
    for (const Binder& each : bind_fresh(post_results, along)) binders.push_back(each);
  }
  environment.emit_bound(statement, std::move(result), binders);
}

void Forward::rule(const Statement& statement, const Histogram& histogram) {
  Environment& environment = *environment_;
  Histogram result;
  result.width = environment.operand(histogram.width);
  const Slots array_slots = slots(histogram.arrays);
  result.arrays = environment.names_of(histogram.arrays);
  for (const NameId each : tangent_names(histogram.arrays, array_slots)) {
    result.arrays.push_back(each);
  }
  // For each new operator: the indices, the values and the tangents that go into it.
  struct Entry {
    std::vector<Operand> indices;
    std::vector<Operand> values;
    Slots slots;
    bool only_tangent;
    std::vector<Type> types;  // of indices, then of values
  };
  std::vector<Entry> entries;
  std::vector<Binder> binders;
  std::size_t next_input = 0;
  std::size_t next_result = 0;
  for (const HistogramOperator& each : histogram.operators) {
    Entry entry;
    for (std::size_t i = 0; i < each.shape.size() + each.destinations.size(); ++i) {
      const Operand& value = histogram.map.body.results[next_input];
      entry.types.push_back(histogram.map.result_types[next_input++]);
      (i < each.shape.size() ? entry.indices : entry.values).push_back(value);
    }
    std::vector<Binder> originals;
    std::vector<Directions> directions;
    for (std::size_t i = 0; i < each.destinations.size(); ++i) {
      originals.push_back(statement.results[next_result++]);
      directions.push_back(dependence_.of(originals.back().name));
    }
    const Slots along = slots_of(directions);
    const std::vector<NameId> tangent_destinations = tangent_names(each.destinations, along);
    HistogramOperator primal{environment.operands(each.shape),
                             environment.names_of(each.destinations),
                             environment.operands(each.neutral), {}};
    for (const Binder& binder : environment.bind_fresh(originals)) binders.push_back(binder);
    const std::vector<Binder> tangent_binders = bind_fresh(originals, along);
    binders.insert(binders.end(), tangent_binders.begin(), tangent_binders.end());
    entry.only_tangent = false;
    if (is_addition(each.op)) {
      primal.op = environment.copy_lambda(each.op);
      result.operators.push_back(primal);
      entries.push_back(entry);
      for (std::size_t i = 0; i < along.size(); ++i) {
        HistogramOperator sum = primal;
        sum.op = environment.copy_lambda(each.op);
        sum.destinations = {tangent_destinations[i]};
        sum.neutral = {environment.zero(environment.type_of(each.neutral[0]))};
        result.operators.push_back(std::move(sum));
        Entry tangent_entry = entry;
        tangent_entry.only_tangent = true;
        tangent_entry.slots = {along[i]};
        entries.push_back(std::move(tangent_entry));
      }
      continue;
    }
    for (std::size_t i = 0; i < along.size(); ++i) {
      primal.destinations.push_back(tangent_destinations[i]);
      primal.neutral.push_back(
          environment.zero(environment.type_of(each.neutral[along[i].index])));
    }
    primal.op = dual_operator(each.op, along);
    result.operators.push_back(std::move(primal));
    entry.slots = along;
    entries.push_back(std::move(entry));
  }

  result.map.parameters = environment.bind_fresh(histogram.map.parameters);
  for (const Binder& each : bind_fresh(histogram.map.parameters, array_slots)) {
    result.map.parameters.push_back(each);
  }
  NestedScope scope(environment);
  emit(histogram.map.body.statements);
  std::vector<Operand> results;
  for (const Entry& entry : entries) {
    for (const Operand& each : environment.operands(entry.indices)) results.push_back(each);
    std::vector<Type> types;
    for (const Type& each : entry.types) types.push_back(environment.type(each));
    const auto first_value = static_cast<std::ptrdiff_t>(entry.indices.size());
    auto& result_types = result.map.result_types;
    result_types.insert(result_types.end(), types.begin(),
                        entry.only_tangent ? types.begin() + first_value : types.end());
    if (!entry.only_tangent) {
      for (const Operand& each : environment.operands(entry.values)) results.push_back(each);
    }
    for (const Operand& each : tangents(entry.values, entry.slots)) results.push_back(each);
    for (const Slot& slot : entry.slots) {
      result_types.push_back(types[entry.indices.size() + slot.index]);
    }
  }
  result.map.body = scope.take(std::move(results));
  scope.leave();
  environment.emit_bound(statement, std::move(result), binders);
}

// The tangents are scattered to the same places.  Where several writes meet, which one wins is
// unspecified for the values and for the tangents.
void Forward::rule(const Statement& statement, const Scatter& scatter) {
  Environment& environment = *environment_;
  Scatter result;
  result.width = environment.operand(scatter.width);
  const Slots array_slots = slots(scatter.arrays);
  result.arrays = environment.names_of(scatter.arrays);
  for (const NameId each : tangent_names(scatter.arrays, array_slots)) {
    result.arrays.push_back(each);
  }
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
  result.map.parameters = environment.bind_fresh(scatter.map.parameters);
  for (const Binder& each : bind_fresh(scatter.map.parameters, array_slots)) {
    result.map.parameters.push_back(each);
  }
  {
    NestedScope scope(environment);
    emit(scatter.map.body.statements);
    std::vector<Operand> results = environment.operands(scatter.map.body.results);
    result.map.result_types = mapped_types(environment, scatter.map.result_types);
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
  std::vector<Binder> binders = environment.bind_fresh(statement.results);
  for (const Binder& each : bind_fresh(statement.results, target_slots)) binders.push_back(each);
  environment.emit_bound(statement, std::move(result), binders);
}

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
  const std::vector<Operand> originals(
      with.body.body.results.begin() + static_cast<std::ptrdiff_t>(count),
      with.body.body.results.end());
  const std::vector<Operand> given_back(
      with.body.body.results.begin(),
      with.body.body.results.begin() + static_cast<std::ptrdiff_t>(count));
  const Slots others = slots(originals);
  result.body.parameters = environment.bind_fresh(with.body.parameters);
  for (const Binder& each : bind_fresh(with.body.parameters, along)) {
    result.body.parameters.push_back(each);
  }
  {
    NestedScope scope(environment);
    emit(with.body.body.statements);
    std::vector<Operand> results = environment.operands(given_back);
    for (const Operand& each : tangents(given_back, along)) results.push_back(each);
    for (const Operand& each : environment.operands(originals)) results.push_back(each);
    for (const Operand& each : tangents(originals, others)) results.push_back(each);
    result.body.body = scope.take(std::move(results));
  }
  const std::vector<Type> types = mapped_types(environment, with.body.result_types);
  auto& result_types = result.body.result_types;
  const auto split = types.begin() + static_cast<std::ptrdiff_t>(count);
  result_types.assign(types.begin(), split);
  for (const Slot& slot : along) result_types.push_back(types[slot.index]);
  result_types.insert(result_types.end(), split, types.end());
  for (const Slot& slot : others) result_types.push_back(types[count + slot.index]);

  const std::vector<Binder> arrays(
      statement.results.begin(), statement.results.begin() + static_cast<std::ptrdiff_t>(count));
  const std::vector<Binder> rest(
      statement.results.begin() + static_cast<std::ptrdiff_t>(count), statement.results.end());
  std::vector<Binder> binders = environment.bind_fresh(arrays);
  for (const Binder& each : bind_fresh(arrays, along)) binders.push_back(each);
  for (const Binder& each : environment.bind_fresh(rest)) binders.push_back(each);
  for (const Binder& each : bind_fresh(rest, others)) binders.push_back(each);
  environment.emit_bound(statement, std::move(result), binders);
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

void Forward::rule(const Statement& statement, const FlatMap& flat_map) {
  Environment& environment = *environment_;
  const auto varying = static_cast<std::size_t>(flat_map.varying);
  FlatMap result;
  result.width = environment.operand(flat_map.width);
  const Slots array_slots = slots(flat_map.arrays);
  result.arrays = environment.names_of(flat_map.arrays);
  for (const NameId each : tangent_names(flat_map.arrays, array_slots)) {
    result.arrays.push_back(each);
  }
  result.map.parameters = environment.bind_fresh(flat_map.map.parameters);
  for (const Binder& each : bind_fresh(flat_map.map.parameters, array_slots)) {
    result.map.parameters.push_back(each);
  }
  const auto& originals = flat_map.map.body.results;
  const auto first_uniform = originals.begin() + 1 + flat_map.varying;
  const std::vector<Operand> varying_values(originals.begin() + 1, first_uniform);
  const std::vector<Operand> uniform_values(first_uniform, originals.end());
  const Slots varying_slots = slots(varying_values);
  const Slots uniform_slots = slots(uniform_values);
  {
    NestedScope scope(environment);
    emit(flat_map.map.body.statements);
    std::vector<Operand> results = {environment.operand(originals[0])};
    for (const Operand& each : environment.operands(varying_values)) results.push_back(each);
    for (const Operand& each : tangents(varying_values, varying_slots)) results.push_back(each);
    for (const Operand& each : environment.operands(uniform_values)) results.push_back(each);
    for (const Operand& each : tangents(uniform_values, uniform_slots)) results.push_back(each);
    result.map.body = scope.take(std::move(results));
  }
  const std::vector<Type> types = mapped_types(environment, flat_map.map.result_types);
  auto& result_types = result.map.result_types;
  const auto split = types.begin() + 1 + flat_map.varying;
  result_types.assign(types.begin(), split);
  for (const Slot& slot : varying_slots) result_types.push_back(types[1 + slot.index]);
  result_types.insert(result_types.end(), split, types.end());
  for (const Slot& slot : uniform_slots) result_types.push_back(types[1 + varying + slot.index]);
  result.varying = flat_map.varying + static_cast<int>(varying_slots.size());

  const auto first = statement.results.begin();
  const std::vector<Binder> sizes(first, first + 3);
  const std::vector<Binder> segments(first + 3, first + 3 + flat_map.varying);
  const std::vector<Binder> uniforms(first + 3 + flat_map.varying, statement.results.end());
  std::vector<Binder> binders = environment.bind_fresh(sizes);
  for (const Binder& each : environment.bind_fresh(segments)) binders.push_back(each);
  for (const Binder& each : bind_fresh(segments, varying_slots)) binders.push_back(each);
  for (const Binder& each : environment.bind_fresh(uniforms)) binders.push_back(each);
  for (const Binder& each : bind_fresh(uniforms, uniform_slots)) binders.push_back(each);
  environment.emit_bound(statement, std::move(result), binders);
}

}  // namespace dagaz::passes::ad
