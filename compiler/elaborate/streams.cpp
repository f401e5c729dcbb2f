// Writing to an array from many iterations at once: `scatter_stream` and `hist_stream` open an
// array as an accumulator, which the iterations of a map hand on.  `by_device` is for how many
// parts of an array these should walk.
#include <algorithm>

#include "elaborate/array_intrinsics.h"
#include "elaborate/elaborator.h"
#include "ir/by_device.h"

namespace dagaz::elaborate {

namespace {

/// The accumulators of an array: one leaf each, typed as the array they write to.
ValueRef accumulators(Elaborator& e, TypeRef array, const std::vector<ir::NameId>& names) {
  return e.arena.from_leaves(e.arena.accumulator(array), names);
}

// The map over `elements` inside: accumulators go in whole and come out as mapped values.
std::vector<ir::Operand> stream(Elaborator& e, const IntrinsicCall& call, ValueRef function,
                                ValueRef elements, TypeRef array,
                                const std::vector<ir::NameId>& opened) {
  const ArrayShape& shape = e.array_shape(elements);
  ir::MapScanReduce pass;
  pass.width = shape.size;
  for (const ir::Operand& leaf : e.leaf_of(elements).leaves) {
    pass.arrays.push_back(e.array_name(leaf));
  }
  pass.arrays.insert(pass.arrays.end(), opened.begin(), opened.end());
  std::vector<ir::Type> parameters = leaf_types(shape.element);
  const std::size_t element_leaves = parameters.size();
  std::vector<ir::Type> results;
  append_leaf_types(e.arena.accumulator(array), results);
  parameters.insert(parameters.end(), results.begin(), results.end());
  pass.map = e.lambda(parameters, results, [&](const std::vector<ir::NameId>& names) {
    const auto middle = names.begin() + static_cast<std::ptrdiff_t>(element_leaves);
    const std::vector<ir::NameId> own(names.begin(), middle);
    const ValueRef element = e.arena.from_leaves(shape.element, own);
    const ValueRef writers = accumulators(e, array, {middle, names.end()});
    return leaves_of(e.apply(function, {writers, element}, call.range));
  });
  const std::vector<ir::NameId> written = e.emit(std::move(pass));
  return {written.begin(), written.end()};
}

ValueRef build_stream(Elaborator& e, const IntrinsicCall& call, ValueRef destination,
                      ValueRef function, ValueRef elements,
                      const std::function<void(ir::AccumulatorInput&)>& set_operator) {
  const TypeRef array = e.leaf_of(destination).type;
  const ir::Operand size = e.array_shape(destination).size;
  ir::WithAccumulator open;
  for (const ir::Operand& leaf : e.leaf_of(destination).leaves) {
    open.inputs.push_back({{size}, e.consumable(leaf), std::nullopt, {}});
    set_operator(open.inputs.back());
  }
  if (open.inputs.empty()) return destination;
  const std::vector<ir::Type> types = leaf_types(e.arena.accumulator(array));
  const Temporarily<ValueRef> accumulating(e.combining, nullptr);
  open.body = e.lambda(types, types, [&](const std::vector<ir::NameId>& opened) {
    return stream(e, call, function, elements, array, opened);
  });
  return e.arena.from_leaves(array, e.emit(std::move(open)));
}

// scatter_stream dest f bs
ValueRef build_scatter_stream(Elaborator& e, const IntrinsicCall& call) {
  return build_stream(e, call, call.arguments[0], call.arguments[1], call.arguments[2],
                      [](ir::AccumulatorInput&) {});
}

/// The part of an operator on several values that computes result `index`, as an operator on the
/// values at that place alone; nothing if it looks at others.
std::optional<ir::Lambda> component(const ir::Lambda& op, std::size_t index, ir::Names& names) {
  const std::size_t count = op.result_types.size();
  std::unordered_set<ir::NameId> needed;
  const ir::Operand& result = op.body.results[index];
  if (result.is_name()) needed.insert(result.name());
  ir::Lambda part;
  for (std::size_t i = op.body.statements.size(); i-- > 0;) {
    const ir::Statement& statement = op.body.statements[i];
    const bool wanted = std::any_of(
        statement.results.begin(), statement.results.end(),
        [&](const ir::Binder& binder) { return needed.contains(binder.name); });
    if (!wanted) continue;
    for (const ir::NameId name : ir::free_names(statement, names)) needed.insert(name);
    part.body.statements.insert(part.body.statements.begin(), statement);
  }
  for (std::size_t i = 0; i < op.parameters.size(); ++i) {
    if (i % count == index) {
      part.parameters.push_back(op.parameters[i]);
    } else if (needed.contains(op.parameters[i].name)) {
      return std::nullopt;
    }
  }
  part.body.results = {result};
  part.result_types = {op.result_types[index]};
  return ir::renamed(part, names);
}

/// An operator on several values as one for each; empty if one of them looks at others.
std::vector<ir::Lambda> components(const ir::Lambda& op, ir::Names& names) {
  std::vector<ir::Lambda> parts;
  for (std::size_t i = 0; i < op.result_types.size(); ++i) {
    std::optional<ir::Lambda> part = component(op, i, names);
    if (!part.has_value()) return {};
    parts.push_back(std::move(*part));
  }
  return parts;
}

// An accumulator combines one leaf.  An operator that mixes leaves works on the array itself, one
// element of the stream after the other; writing then is an update.
ValueRef build_mixing_stream(Elaborator& e, const IntrinsicCall& call) {
  const LeafValue& destination = e.leaf_of(call.arguments[0]);
  const ValueRef elements = call.arguments[4];
  const Temporarily<ValueRef> combined(e.combining, call.arguments[1]);
  const Temporarily<Request> cleared(e.request, Request{});
  const std::vector<ir::NameId> arrays = e.fresh(leaf_types(destination.type));
  const ir::NameId index = e.names().fresh("i", ir::scalar_of(ir::ScalarType::i64));
  ir::Loop loop;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    loop.values.push_back({{arrays[i]}, e.consumable(destination.leaves[i])});
  }
  loop.form = ir::ForForm{{index}, e.array_shape(elements).size};
  loop.body = e.nested_body([&] {
    const ValueRef writers = e.arena.from_leaves(destination.type, arrays);
    const ValueRef element = e.element_at(elements, index);
    return leaves_of(e.apply(call.arguments[3], {writers, element}, call.range));
  });
  return e.arena.from_leaves(destination.type, e.emit(std::move(loop)));
}

// hist_stream dest op ne f bs
ValueRef build_hist_stream(Elaborator& e, const IntrinsicCall& call) {
  const ValueRef destination = call.arguments[0];
  const TypeRef element = e.array_shape(destination).element;
  const ir::Lambda op = e.operator_lambda(call.arguments[1], element, call.range);
  std::vector<ir::Lambda> parts = components(op, e.names());
  if (parts.empty() && element->leaf_count > 0) return build_mixing_stream(e, call);
  const std::vector<ir::Operand> neutral = leaves_of(call.arguments[2]);
  std::size_t next = 0;
  return build_stream(e, call, destination, call.arguments[3], call.arguments[4],
                      [&](ir::AccumulatorInput& input) {
                        input.op = std::move(parts[next]);
                        input.neutral = {neutral[next++]};
                      });
}

// The element at `index` combined with `value`, where there is such an element.
ValueRef combine_at(Elaborator& e, ValueRef array, const ir::Operand& index, ValueRef value,
                    const Range& where) {
  const ir::Operand size = e.array_shape(array).size;
  const ir::Operand inside = e.scalar(ir::ScalarOp::ult, ir::ScalarType::i64, {index, size});
  const TypeRef type = e.leaf_of(array).type;
  ir::Branch branch{inside, {}, {}, leaf_types(type)};
  branch.then_body = e.nested_body([&] {
    const ValueRef old = e.element_at(array, index);
    const std::vector<ir::Operand> parts = leaves_of(e.apply(e.combining, {old, value}, where));
    std::vector<ir::Operand> leaves = leaves_of(array);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const ir::Operand one = ir::i64_operand(1);
      std::vector<ir::SliceDimension> place{{true, index, one, one}};
      const std::vector<ir::Operand> shape = e.names().type(leaves[i]).shape;
      for (std::size_t k = 1; k < shape.size(); ++k) {
        place.push_back({false, ir::i64_operand(0), shape[k], one});
      }
      leaves[i] = e.emit_one(ir::Update{leaves[i].name(), std::move(place), parts[i]});
    }
    return leaves;
  });
  branch.else_body = e.nested_body([&] { return leaves_of(array); });
  return e.arena.from_leaves(type, e.emit(std::move(branch)));
}

// acc_write acc i v
ValueRef build_write(Elaborator& e, const IntrinsicCall& call) {
  const LeafValue& writers = e.leaf_of(call.arguments[0]);
  const ir::Operand index = e.scalar_of(call.arguments[1]);
  if (std::holds_alternative<ArrayShape>(writers.type->node)) {
    return combine_at(e, call.arguments[0], index, call.arguments[2], call.range);
  }
  const std::vector<ir::Operand> values = leaves_of(call.arguments[2]);
  LeafValue after{writers.type, {}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    after.leaves.push_back(
        e.emit_one(ir::Accumulate{writers.leaves[i].name(), {index}, values[i]}));
  }
  return e.arena.value(std::move(after));
}

// by_device a b
ValueRef build_by_device(Elaborator& e, const IntrinsicCall& call) {
  const ir::Type i64 = ir::scalar_of(ir::ScalarType::i64);
  const std::string name(ir::by_device_function);
  if (e.function_named(name) == nullptr) {
    const ir::NameId cpu = e.names().fresh("cpu", i64);
    const ir::NameId gpu = e.names().fresh("gpu", i64);
    e.ir_program.functions.push_back(
        {name, {{cpu}, {gpu}}, {false, false}, {i64}, {{}, {cpu}}, true});
  }
  const std::vector<ir::Operand> numbers = {e.scalar_of(call.arguments[0]),
                                            e.scalar_of(call.arguments[1])};
  const TypeRef type = e.arena.scalar(check::Primitive::i64);
  return e.arena.leaf(type, e.emit_one(ir::Call{name, numbers, {i64}}));
}

constexpr Intrinsic streams_built[] = {
    {"scatter_stream", 3, build_scatter_stream},
    {"hist_stream", 5, build_hist_stream},
    {"acc_write", 3, build_write},
    {"by_device", 2, build_by_device},
};

}  // namespace

std::span<const Intrinsic> stream_intrinsics() { return streams_built; }

}  // namespace dagaz::elaborate
