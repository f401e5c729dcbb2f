// What does not fit lanes, done point by point: the values of the block go to memory, each point
// takes its own from there, and what it computes goes the same way back.
#include "imperative/lanes.h"

#include <algorithm>

#include "ir/alias.h"
#include "ir/fields.h"

namespace dagaz::imperative {

// A vector of memory for every point's value.
LaneArray Lanes::spilled(const Place& values) {
  LaneArray array;
  array.place = values;
  array.place.strides.clear();
  array.offset = own_points();
  return array;
}

/// The statement's values that differ between points, where a point finds them.  Of a packed row a
/// point takes the original: its elements are neighbours.
std::vector<Lanes::Spilled> Lanes::spill_inputs(const ir::Statement& statement) {
  std::vector<Spilled> inputs;
  for (const NameId name : ir::free_names(statement, low_.names())) {
    if (const auto found = known_.virtual_arrays.find(name); found != known_.virtual_arrays.end()) {
      inputs.push_back({name, spill(found->second.start), std::nullopt, &found->second});
    } else if (const auto scalar = known_.scalars.find(name); scalar != known_.scalars.end()) {
      inputs.push_back({name, spill(scalar->second), std::nullopt});
    } else if (const auto array = known_.arrays.find(name); array != known_.arrays.end()) {
      const auto original = before_packing_.find(name);
      const LaneArray& source =
          original == before_packing_.end() ? array->second : original->second;
      inputs.push_back({name, spill(source.offset), source.place});
    }
  }
  return inputs;
}

void Lanes::take(const Spilled& input, const Operand& point) {
  if (input.without_memory) {
    const ScalarType type = input.without_memory->start.type;
    const Operand start = low_.load(input.values, {point}, type, "start");
    low_.arrays.bind_virtual(
        input.name, VirtualArray{type, start, input.without_memory->stride});
    return;
  }
  if (!input.array) {
    const ScalarType type = low_.names().type(input.name).element;
    low_.load_into(input.name, input.values, {point}, type);
    return;
  }
  Place place = *input.array;
  place.offset = low_.load(input.values, {point}, ScalarType::i64, "offset");
  low_.bind(input.name, place);
}

/// What the statement writes over has to be each point's own, also where the points had the same.
void Lanes::own_what_it_consumes(const ir::Statement& s) {
  const std::vector<NameId> used = ir::free_names(s, low_.names());
  const bool shares_arrays = std::any_of(used.begin(), used.end(), [&](NameId name) {
    return low_.names().type(name).is_array() && !known_.arrays.contains(name);
  });
  if (!shares_arrays) return;
  for (const NameId name : ir::consumed_by(s, low_.names(), low_.source.functions)) {
    if (low_.names().type(name).is_array()) bind(name, own_array(name));
  }
}

void Lanes::one_by_one(const ir::Statement& s) {
  own_what_it_consumes(s);
  const std::vector<Spilled> inputs = spill_inputs(s);
  std::vector<Spilled> outputs;
  for (const ir::Binder& result : s.results) {
    const ir::Type type = low_.names().type(result.name);
    if (type.kind == ir::TypeKind::token) continue;
    if (type.kind == ir::TypeKind::accumulator) {
      outputs.push_back({result.name, {}, std::nullopt});
    } else if (type.is_array()) {
      const LaneArray array = result_array(result.name);
      outputs.push_back({result.name, spill(array.offset), array.place});
    } else {
      const ir::Type all = ir::array_of(type.element, {ir::i64_operand(block_.points())});
      outputs.push_back({result.name, low_.private_array(all, "results"), std::nullopt});
    }
  }
  low_.thread_loop(ir::i64_operand(block_.points()), false, [&](const Operand& point) {
    for (const Spilled& input : inputs) take(input, point);
    low_.forget_places(s);
    for (Spilled& output : outputs) {
      if (!output.array) continue;
      output.array->offset = low_.load(output.values, {point}, ScalarType::i64, "offset");
      low_.arrays.want(output.name, *output.array);
    }
    low_.lower_statement(s);
    for (const Spilled& output : outputs) {
      const Value value = low_.value_of(output.name);
      if (output.array) low_.copy(*output.array, *value.place, value.type);
      if (value.type.is_scalar()) low_.write(output.values, {point}, value);
    }
  });
  for (const Spilled& input : inputs) {
    low_.arrays.unbind(input.name);
  }
  for (const Spilled& output : outputs) {
    low_.arrays.unbind(output.name);
    const ir::Type type = low_.names().type(output.name);
    if (type.is_scalar()) bind(output.name, load(spilled(output.values), type.element));
  }
}

}  // namespace dagaz::imperative
