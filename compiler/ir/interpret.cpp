// The interpreter's straight-line code, control and calls.
#include "ir/interpret.h"

#include <algorithm>
#include <numeric>

#include "ir/interpreter.h"
#include "ir/names.h"
#include "ir/recursion.h"
#include "support/stack.h"

namespace dagaz::ir {

// The largest array: eight gigabytes.
static constexpr std::int64_t most_elements = std::int64_t{1} << 30;

Interpreter::Interpreter(const Program& program, const OnTrace& on_trace)
    : program_(program), on_trace_(on_trace), values_(program.names.size()) {
  for (const Function& function : program.functions) {
    functions_.emplace(function.name, FunctionState{&function, bound_names(function.body), 0});
  }
}

void Interpreter::fail(std::string message) const {
  throw InterpretFailure{{std::move(message), location_}};
}

// ---------------------------------------------------------------- operands and scopes

Value Interpreter::value_of(const Operand& operand) const {
  return operand.is_name() ? lookup(operand.name()) : scalar_value(operand.constant());
}

Interpreter::Values Interpreter::values_of(const std::vector<Operand>& operands) const {
  Values values;
  values.reserve(operands.size());
  for (const Operand& operand : operands) values.push_back(value_of(operand));
  return values;
}

Constant Interpreter::scalar(const Operand& operand) const {
  return operand.is_name() ? scalar_of_value(lookup(operand.name())) : operand.constant();
}

std::vector<std::int64_t> Interpreter::integers(const std::vector<Operand>& operands) const {
  std::vector<std::int64_t> values;
  for (const Operand& operand : operands) values.push_back(integer(operand));
  return values;
}

std::int64_t Interpreter::size(const Operand& operand) const {
  const std::int64_t value = integer(operand);
  if (value < 0) fail("an array of a negative size");
  if (value > most_elements) fail_for_memory();
  return value;
}

void Interpreter::fail_for_memory() const {
  fail("out of memory: an array of the interpreter has at most " +
       std::to_string(most_elements) + " elements");
}

void Interpreter::check_memory(std::span<const std::int64_t> shape) const {
  std::int64_t room = most_elements;
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return;
  for (const std::int64_t extent : shape) room /= extent;
  if (room == 0) fail_for_memory();
}

Interpreter::Values Interpreter::run(const Body& body) {
  for (const Statement& statement : body.statements) {
    if (statement.location.valid()) location_ = statement.location;
    if (const auto scalar = scalar_result(statement.operation)) {
      bind(statement.results[0].name, *scalar);
      continue;
    }
    Values results = std::visit(*this, statement.operation);
    DZ_CHECK(results.size() == statement.results.size(), "the number of results");
    for (std::size_t i = 0; i < results.size(); ++i) {
      bind(statement.results[i].name, std::move(results[i]));
    }
  }
  return values_of(body.results);
}

// Most of what runs; nothing is allocated for it.
std::optional<Constant> Interpreter::scalar_result(const Operation& operation) {
  if (const auto* scalar = as<Scalar>(operation)) return computed(*scalar);
  const auto* index = as<Index>(operation);
  if (index == nullptr) return std::nullopt;
  const Value& array = lookup(index->array);
  if (index->indices.size() != array.shape.size()) return std::nullopt;
  return Constant{array.element, array.elements[offset_at(array, index->indices)]};
}

void Interpreter::bind(NameId name, const Constant& scalar) {
  Value& value = values_[name.index];
  value.element = scalar.type;
  value.shape.clear();
  value.elements.assign(1, scalar.bits);
}

Interpreter::Values Interpreter::apply(const Lambda& lambda, Values arguments) {
  DZ_CHECK(arguments.size() == lambda.parameters.size(), "the number of arguments");
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    bind(lambda.parameters[i].name, std::move(arguments[i]));
  }
  return run(lambda.body);
}

Interpreter::Values Interpreter::call(const std::string& name, const Values& arguments) {
  const auto found = functions_.find(name);
  DZ_CHECK(found != functions_.end(), "no function `" + name + "`");
  FunctionState& state = found->second;
  const Function& function = *state.function;
  DZ_CHECK(arguments.size() == function.parameters.size(), "arguments of `" + name + "`");
  if (stack_is_full()) fail(std::string(too_deep_recursion));
  Values saved;
  if (state.active > 0) {
    for (const NameId bound : state.bound) saved.push_back(std::move(values_[bound.index]));
    for (const Binder& parameter : function.parameters) saved.push_back(lookup(parameter.name));
  }
  ++state.active;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    bind(function.parameters[i].name, arguments[i]);
  }
  Values results = run(function.body);
  --state.active;
  if (state.active > 0) {
    std::size_t next = 0;
    for (const NameId bound : state.bound) bind(bound, std::move(saved[next++]));
    for (const Binder& parameter : function.parameters) {
      bind(parameter.name, std::move(saved[next++]));
    }
  }
  return results;
}

// ---------------------------------------------------------------- scalars and arrays

// A list in braces would copy it.
Interpreter::Values Interpreter::only(Value value) {
  Values values;
  values.push_back(std::move(value));
  return values;
}

Interpreter::Values Interpreter::operator()(const Identity& e) { return only(value_of(e.value)); }

Constant Interpreter::computed(const Scalar& e) {
  arguments_.clear();
  for (const Operand& argument : e.arguments) arguments_.push_back(scalar(argument));
  const auto value = evaluate(e.op, e.type, e.result, arguments_);
  if (!value) fail("undefined: " + std::string(name_of(e.op)));
  return *value;
}

Interpreter::Values Interpreter::operator()(const Scalar& e) {
  return only(scalar_value(computed(e)));
}

Interpreter::Values Interpreter::operator()(const ArrayLiteral& e) {
  return only(assemble({static_cast<std::int64_t>(e.elements.size())}, values_of(e.elements),
                       e.element));
}

Interpreter::Values Interpreter::operator()(const Index& e) {
  const Value& array = lookup(e.array);
  return only(part_at(array, offset_at(array, e.indices), e.indices.size()));
}

std::size_t Interpreter::offset_at(const Value& array, const std::vector<Operand>& indices) {
  indices_.clear();
  for (const Operand& one : indices) indices_.push_back(integer(one));
  const auto offset = offset_of(array, indices_);
  if (!offset) fail("unguarded index out of bounds");
  return *offset;
}

std::vector<std::int64_t> Interpreter::slice_shape(
    const std::vector<SliceDimension>& dimensions) const {
  std::vector<std::int64_t> shape;
  for (const SliceDimension& dimension : dimensions) {
    if (!dimension.fixed) shape.push_back(size(dimension.count));
  }
  return shape;
}

std::optional<std::size_t> Interpreter::slice_offset(
    const Value& array, const std::vector<SliceDimension>& dimensions,
    std::span<const std::int64_t> at) const {
  std::vector<std::int64_t> indices;
  std::size_t free = 0;
  for (const SliceDimension& dimension : dimensions) {
    const std::int64_t start = integer(dimension.start);
    indices.push_back(dimension.fixed ? start : start + at[free++] * integer(dimension.stride));
  }
  return offset_of(array, indices);
}

Interpreter::Values Interpreter::operator()(const Slice& e) {
  const Value& array = lookup(e.array);
  Value result{array.element, slice_shape(e.dimensions), {}};
  for_each_coordinate(result.shape, [&](std::span<const std::int64_t> at) {
    const auto offset = slice_offset(array, e.dimensions, at);
    if (!offset) fail("unguarded slice out of bounds");
    result.elements.push_back(array.elements[*offset]);
  });
  return only(std::move(result));
}

Interpreter::Values Interpreter::operator()(const Update& e) {
  Value result = lookup(e.array);
  const Value value = value_of(e.value);
  std::size_t next = 0;
  for_each_coordinate(slice_shape(e.dimensions), [&](std::span<const std::int64_t> at) {
    const auto offset = slice_offset(result, e.dimensions, at);
    if (!offset) fail("unguarded update out of bounds");
    DZ_CHECK(next < value.elements.size(), "an update with a smaller value");
    result.elements[*offset] = value.elements[next++];
  });
  return only(std::move(result));
}

Interpreter::Values Interpreter::operator()(const Iota& e) {
  Value result{e.type, {size(e.count)}, {}};
  const std::int64_t start = integer(e.start);
  const std::int64_t stride = integer(e.stride);
  for (std::int64_t i = 0; i < result.shape[0]; ++i) {
    result.elements.push_back(make_integer(e.type, start + i * stride).bits);
  }
  return only(std::move(result));
}

Interpreter::Values Interpreter::operator()(const Replicate& e) {
  const Value value = value_of(e.value);
  Value result{value.element, {}, {}};
  for (const Operand& extent : e.shape) result.shape.push_back(size(extent));
  const std::size_t count = element_count(result.shape);
  result.shape.insert(result.shape.end(), value.shape.begin(), value.shape.end());
  check_memory(result.shape);
  for (std::size_t i = 0; i < count; ++i) {
    result.elements.insert(result.elements.end(), value.elements.begin(), value.elements.end());
  }
  return only(std::move(result));
}

Interpreter::Values Interpreter::operator()(const Concat& e) {
  Value result = lookup(e.arrays.front());
  for (std::size_t i = 1; i < e.arrays.size(); ++i) {
    const Value& next = lookup(e.arrays[i]);
    result.shape[0] += next.shape[0];
    result.elements.insert(result.elements.end(), next.elements.begin(), next.elements.end());
  }
  DZ_CHECK(result.shape[0] == integer(e.width), "the width of a concat");
  return only(std::move(result));
}

Interpreter::Values Interpreter::operator()(const Reshape& e) {
  Value result = lookup(e.array);
  result.shape = integers(e.shape);
  if (element_count(result.shape) != result.elements.size()) fail("unguarded reshape");
  return only(std::move(result));
}

Interpreter::Values Interpreter::operator()(const Permute& e) {
  const Value& array = lookup(e.array);
  Value result{array.element, {}, {}};
  for (const int from : e.permutation) {
    result.shape.push_back(array.shape[static_cast<std::size_t>(from)]);
  }
  std::vector<std::int64_t> source(array.shape.size());
  for_each_coordinate(result.shape, [&](std::span<const std::int64_t> at) {
    for (std::size_t k = 0; k < at.size(); ++k) {
      source[static_cast<std::size_t>(e.permutation[k])] = at[k];
    }
    result.elements.push_back(array.elements[*offset_of(array, source)]);
  });
  return only(std::move(result));
}

Interpreter::Values Interpreter::operator()(const Copy& e) { return only(lookup(e.array)); }

Interpreter::Values Interpreter::operator()(const Scratch& e) {
  std::vector<std::int64_t> shape;
  for (const Operand& extent : e.shape) shape.push_back(size(extent));
  check_memory(shape);
  return only(filled(e.type, std::move(shape), 0));
}

// ---------------------------------------------------------------- control

Interpreter::Values Interpreter::operator()(const Branch& e) {
  return run(holds(e.condition) ? e.then_body : e.else_body);
}

Interpreter::Values Interpreter::operator()(const Loop& e) {
  const auto bind_values = [&](Values values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      bind(e.values[i].parameter.name, std::move(values[i]));
    }
  };
  Values initial;
  for (const LoopValue& value : e.values) initial.push_back(value_of(value.initial));
  bind_values(std::move(initial));
  if (const auto* form = std::get_if<ForForm>(&e.form)) {
    const Constant bound = scalar(form->bound);
    for (std::int64_t i = 0; i < integer_value(bound); ++i) {
      bind(form->index.name, make_integer(bound.type, i));
      bind_values(run(e.body));
    }
  } else {
    const NameId condition = std::get<WhileForm>(e.form).condition;
    while (holds(condition)) bind_values(run(e.body));
  }
  Values results;
  for (const LoopValue& value : e.values) results.push_back(lookup(value.parameter.name));
  return results;
}

Interpreter::Values Interpreter::operator()(const Call& e) {
  Values arguments = values_of(e.arguments);
  if (!is_trace(e.function)) return call(e.function, arguments);
  const Traced traced = traced_by(e.function);
  arguments.erase(arguments.begin(),
                  arguments.end() - static_cast<std::ptrdiff_t>(traced.leaves.size()));
  on_trace_(traced, arguments);
  return {};
}

Interpreter::Values Interpreter::operator()(const Assert& e) {
  if (holds(e.condition)) return only(scalar_value(make_bool(true)));
  std::string message;
  std::size_t next = 0;
  for (std::size_t i = 0; i < e.message.size(); ++i) {
    if (e.message.compare(i, 2, "{}") == 0 && next < e.arguments.size()) {
      message += std::to_string(integer(e.arguments[next++]));
      ++i;
    } else {
      message += e.message[i];
    }
  }
  fail(std::move(message));
}

std::variant<std::vector<Value>, RuntimeError> interpret(const Program& program,
                                                         const std::string& function,
                                                         std::vector<Value> arguments,
                                                         const OnTrace& on_trace) {
  try {
    return Interpreter(program, on_trace).call(function, arguments);
  } catch (const InterpretFailure& failure) {
    return failure.error;
  }
}

std::variant<std::vector<Value>, RuntimeError> interpret(const Program& program,
                                                         const std::string& function,
                                                         std::vector<Value> arguments) {
  return interpret(program, function, std::move(arguments),
                   [](const Traced&, const std::vector<Value>&) {});
}

}  // namespace dagaz::ir
