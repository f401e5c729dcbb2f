// What does not fit lanes, done point by point: the values of the block go to memory, each point
// takes its own from there, and what it computes goes the same way back.
#include "emit/lanes/serial.h"

#include <algorithm>

#include "emit/lanes/arrays.h"
#include "emit/lanes/values.h"
#include "emit/memory/allocation.h"
#include "emit/memory/elements.h"
#include "emit/statements.h"
#include "emit/thread/loops.h"
#include "ir/alias.h"
#include "ir/fields.h"

namespace dagaz::emit {

namespace {

/// A scalar of every point in memory; the offset of an array where `array` says the rest, or the
/// start of one without memory.
struct Spilled {
  NameId name;
  Place values;
  std::optional<Place> array;
  const LaneVirtual* without_memory = nullptr;
};

}  // namespace

// A vector of memory for every point's value.
static LaneArray spilled(Lanes& l, const Place& values) {
  LaneArray array;
  array.place = values;
  array.place.strides.clear();
  array.offset = own_points(l);
  return array;
}

/// The statement's values that differ between points, where a point finds them.  Of a packed row a
/// point takes the original: its elements are neighbours.
static std::vector<Spilled> spill_inputs(Lanes& l, const ir::Statement& statement) {
  std::vector<Spilled> inputs;
  for (const NameId name : ir::free_names(statement, l.c.names())) {
    if (const auto found = l.known.virtual_arrays.find(name);
        found != l.known.virtual_arrays.end()) {
      inputs.push_back({name, spill(l, found->second.start), std::nullopt, &found->second});
    } else if (const auto scalar = l.known.scalars.find(name); scalar != l.known.scalars.end()) {
      inputs.push_back({name, spill(l, scalar->second), std::nullopt});
    } else if (const auto array = l.known.arrays.find(name); array != l.known.arrays.end()) {
      const auto original = l.before_packing.find(name);
      const LaneArray& source =
          original == l.before_packing.end() ? array->second : original->second;
      inputs.push_back({name, spill(l, source.offset), source.place});
    }
  }
  return inputs;
}

static void take_point(Lanes& l, const Spilled& input, const Operand& point) {
  if (input.without_memory) {
    const ScalarType type = input.without_memory->start.type;
    const Operand start = load(l.c, input.values, {point}, type, "start");
    l.c.arrays.bind_virtual(input.name, VirtualArray{type, start, input.without_memory->stride});
    return;
  }
  if (!input.array) {
    const ScalarType type = l.c.names().type(input.name).element;
    load_into(l.c, input.name, input.values, {point}, type);
    return;
  }
  Place place = *input.array;
  place.offset = load(l.c, input.values, {point}, ScalarType::i64, "offset");
  l.c.arrays.bind(input.name, place);
}

void own_what_it_consumes(Lanes& l, const ir::Statement& s) {
  const std::vector<NameId> used = ir::free_names(s, l.c.names());
  const bool shares_arrays = std::any_of(used.begin(), used.end(), [&](NameId name) {
    return l.c.names().type(name).is_array() && !l.known.arrays.contains(name);
  });
  if (!shares_arrays) return;
  for (const NameId name : ir::consumed_by(s, l.c.names(), l.c.source.functions)) {
    if (l.c.names().type(name).is_array()) bind(l, name, own_array(l, name));
  }
}

void for_running_points(Lanes& l, const std::function<void(const Operand& point)>& body) {
  std::optional<Place> running;
  if (l.mask) running = spill(l, *l.mask);
  thread_loop(l.c, ir::i64_operand(l.block.points()), false, [&](const Operand& point) {
    if (!running) {
      body(point);
      return;
    }
    l.c.branch(load(l.c, *running, {point}, ScalarType::boolean, "runs"), [&] { body(point); });
  });
}

void one_by_one(Lanes& l, const ir::Statement& s) {
  own_what_it_consumes(l, s);
  const std::vector<Spilled> inputs = spill_inputs(l, s);
  std::vector<Spilled> outputs;
  for (const ir::Binder& result : s.results) {
    const ir::Type type = l.c.names().type(result.name);
    if (type.kind == ir::TypeKind::token) continue;
    if (type.kind == ir::TypeKind::accumulator) {
      outputs.push_back({result.name, {}, std::nullopt});
    } else if (type.is_array()) {
      const LaneArray array = result_array(l, result.name);
      outputs.push_back({result.name, spill(l, array.offset), array.place});
    } else {
      const ir::Type all = ir::array_of(type.element, {ir::i64_operand(l.block.points())});
      outputs.push_back({result.name, private_array(l.c, all, "results"), std::nullopt});
    }
  }
  for_running_points(l, [&](const Operand& point) {
    for (const Spilled& input : inputs) take_point(l, input, point);
    l.c.arrays.forget(s);
    for (Spilled& output : outputs) {
      if (!output.array) continue;
      output.array->offset = load(l.c, output.values, {point}, ScalarType::i64, "offset");
      l.c.arrays.want(output.name, *output.array);
    }
    emit_statement(l.c, s);
    for (const Spilled& output : outputs) {
      const Value value = value_of(l.c, output.name);
      if (output.array) copy(l.c, *output.array, *value.place, value.type);
      if (value.type.is_scalar()) write(l.c, output.values, {point}, value);
    }
  });
  for (const Spilled& input : inputs) {
    l.c.arrays.unbind(input.name);
  }
  for (const Spilled& output : outputs) {
    l.c.arrays.unbind(output.name);
    const ir::Type type = l.c.names().type(output.name);
    if (type.is_scalar()) bind(l, output.name, load(l, spilled(l, output.values), type.element));
  }
}

}  // namespace dagaz::emit
