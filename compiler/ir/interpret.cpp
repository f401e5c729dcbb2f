// The interpreter's straight-line code, control and calls.
#include "ir/interpret.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "ir/interpreter.h"
#include "ir/names.h"
#include "ir/recursion.h"
#include "support/stack.h"

namespace dagaz::ir {

// The largest array: eight gigabytes.
static constexpr std::int64_t most_elements = std::int64_t{1} << 30;

Interpreter::Interpreter(const Program& program, const OnTrace& on_trace)
    : program_(program), on_trace_(on_trace), bound_(program.names) {
  for (const Function& function : program.functions) {
    functions_.emplace(function.name, &function);
  }
}

void Interpreter::fail(std::string message) const {
  throw InterpretFailure{{std::move(message), location_}};
}

std::int64_t Interpreter::size(const Operand& operand) const {
  const std::int64_t value = bound_.integer(operand);
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

// ---------------------------------------------------------------- scopes

Value Interpreter::last_value_of(const Operand& operand) {
  if (!operand.is_name()) return bound_.value_of(operand);
  const NameId name = operand.name();
  const auto end = used_last_->end();
  const bool is_last = std::find(used_last_->begin(), end, name) != end;
  return is_last ? bound_.take(name) : bound_.at(name);
}

Interpreter::Values Interpreter::last_values_of(const std::vector<Operand>& operands) {
  Values values;
  values.reserve(operands.size());
  for (const Operand& operand : operands) values.push_back(last_value_of(operand));
  return values;
}

Interpreter::Values Interpreter::run(const Body& body) {
  const std::vector<NameId>* const used_last_around = used_last_;
  for (const Statement& statement : body.statements) {
    if (statement.location.valid()) location_ = statement.location;
    if (const auto scalar = scalar_result(statement.operation)) {
      bound_.bind(statement.results[0].name, *scalar);
      continue;
    }
    used_last_ = &last_uses_.of(statement);
    Values results = std::visit(*this, statement.operation);
    DZ_CHECK(results.size() == statement.results.size(), "the number of results");
    for (std::size_t i = 0; i < results.size(); ++i) {
      bound_.bind(statement.results[i].name, std::move(results[i]));
    }
  }
  used_last_ = &last_uses_.of(body);
  Values results = last_values_of(body.results);
  used_last_ = used_last_around;
  return results;
}

// Most of what runs; nothing is allocated for it.
std::optional<Constant> Interpreter::scalar_result(const Operation& operation) {
  if (const auto* scalar = as<Scalar>(operation)) return computed(*scalar);
  const auto* index = as<Index>(operation);
  if (index == nullptr) return std::nullopt;
  const Value& array = bound_.at(index->array);
  if (index->indices.size() != array.shape.size()) return std::nullopt;
  return Constant{array.element, array.elements[offset_at(array, index->indices)]};
}

Interpreter::Values Interpreter::apply(const Lambda& lambda, Values arguments) {
  DZ_CHECK(arguments.size() == lambda.parameters.size(), "the number of arguments");
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    bound_.bind(lambda.parameters[i].name, std::move(arguments[i]));
  }
  return run(lambda.body);
}

Interpreter::Values Interpreter::call(const std::string& name, Values arguments) {
  const auto found = functions_.find(name);
  DZ_CHECK(found != functions_.end(), "no function `" + name + "`");
  const Function& function = *found->second;
  DZ_CHECK(arguments.size() == function.parameters.size(), "arguments of `" + name + "`");
  if (stack_is_full()) fail(std::string(too_deep_recursion));
  const auto [state_at, is_first] = called_.try_emplace(&function);
  FunctionState& state = state_at->second;
  if (is_first) {
    last_uses_.add(function, program_.names);
    state.bound = bound_names(function.body);
    for (const Binder& parameter : function.parameters) state.bound.push_back(parameter.name);
  }
  Values saved;
  if (state.active > 0) {
    for (const NameId bound : state.bound) saved.push_back(bound_.take(bound));
  }
  ++state.active;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    bound_.bind(function.parameters[i].name, std::move(arguments[i]));
  }
  Values results = run(function.body);
  --state.active;
  for (std::size_t i = 0; i < saved.size(); ++i) {
    bound_.bind(state.bound[i], std::move(saved[i]));
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

Interpreter::Values Interpreter::operator()(const Identity& e) {
  return only(last_value_of(e.value));
}

Constant Interpreter::computed(const Scalar& e) {
  std::array<Constant, 3> arguments;  // no operation has more
  const std::size_t count = e.arguments.size();
  DZ_CHECK(count <= arguments.size(), "the number of operands");
  for (std::size_t i = 0; i < count; ++i) arguments[i] = bound_.scalar(e.arguments[i]);
  const auto value = evaluate(e.op, e.type, e.result, std::span(arguments).first(count));
  if (!value) fail("undefined: " + std::string(name_of(e.op)));
  return *value;
}

Interpreter::Values Interpreter::operator()(const Scalar& e) {
  return only(scalar_value(computed(e)));
}

Interpreter::Values Interpreter::operator()(const ArrayLiteral& e) {
  Rows rows;
  for (const Operand& element : e.elements) add_row(rows, bound_.value_of(element));
  const auto count = static_cast<std::int64_t>(e.elements.size());
  return only(array_of(std::move(rows), {&count, 1}, e.element));
}

Interpreter::Values Interpreter::operator()(const Index& e) {
  const Value& array = bound_.at(e.array);
  return only(part_at(array, offset_at(array, e.indices), e.indices.size()));
}

std::size_t Interpreter::offset_at(const Value& array, const std::vector<Operand>& indices) {
  indices_.clear();
  for (const Operand& one : indices) indices_.push_back(bound_.integer(one));
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

void Interpreter::for_each_in_slice(const Value& array,
                                    const std::vector<SliceDimension>& dimensions,
                                    FunctionRef<void(std::size_t)> visit) const {
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> strides;  // of the dimensions that are not fixed
  for (const SliceDimension& dimension : dimensions) {
    starts.push_back(bound_.integer(dimension.start));
    if (!dimension.fixed) strides.push_back(bound_.integer(dimension.stride));
  }
  std::vector<std::int64_t> indices(dimensions.size());
  for_each_coordinate(slice_shape(dimensions), [&](std::span<const std::int64_t> at) {
    std::size_t free = 0;
    for (std::size_t k = 0; k < dimensions.size(); ++k) {
      indices[k] = starts[k];
      if (dimensions[k].fixed) continue;
      indices[k] += at[free] * strides[free];
      ++free;
    }
    const auto offset = offset_of(array, indices);
    if (!offset) fail("unguarded slice or update out of bounds");
    visit(*offset);
  });
}

Interpreter::Values Interpreter::operator()(const Slice& e) {
  const Value& array = bound_.at(e.array);
  Value result{array.element, slice_shape(e.dimensions), {}};
  for_each_in_slice(array, e.dimensions, [&](std::size_t offset) {
    result.elements.push_back(array.elements[offset]);
  });
  return only(std::move(result));
}

Interpreter::Values Interpreter::operator()(const Update& e) {
  const Value value = last_value_of(e.value);
  Value result = last_value_of(e.array);
  std::size_t next = 0;
  for_each_in_slice(result, e.dimensions, [&](std::size_t offset) {
    DZ_CHECK(next < value.elements.size(), "an update with a smaller value");
    result.elements[offset] = value.elements[next++];
  });
  return only(std::move(result));
}

Interpreter::Values Interpreter::operator()(const Iota& e) {
  Value result{e.type, {size(e.count)}, {}};
  const std::int64_t start = bound_.integer(e.start);
  const std::int64_t stride = bound_.integer(e.stride);
  for (std::int64_t i = 0; i < result.shape[0]; ++i) {
    result.elements.push_back(make_integer(e.type, start + i * stride).bits);
  }
  return only(std::move(result));
}

Interpreter::Values Interpreter::operator()(const Replicate& e) {
  const Value value = bound_.value_of(e.value);
  Value result{value.element, {}, {}};
  for (const Operand& extent : e.shape) result.shape.push_back(size(extent));
  const std::size_t count = element_count(result.shape);
  result.shape.insert(result.shape.end(), value.shape.begin(), value.shape.end());
  check_memory(result.shape);
  for (std::size_t i = 0; i < count; ++i) {
    result.elements.append(value.elements);
  }
  return only(std::move(result));
}

Interpreter::Values Interpreter::operator()(const Concat& e) {
  Value result = last_value_of(e.arrays.front());
  for (std::size_t i = 1; i < e.arrays.size(); ++i) {
    const Value& next = bound_.at(e.arrays[i]);
    result.shape[0] += next.shape[0];
    result.elements.append(next.elements);
  }
  DZ_CHECK(result.shape[0] == bound_.integer(e.width), "the width of a concat");
  return only(std::move(result));
}

Interpreter::Values Interpreter::operator()(const Reshape& e) {
  Value result = last_value_of(e.array);
  result.shape = bound_.integers(e.shape);
  if (element_count(result.shape) != result.elements.size()) fail("unguarded reshape");
  return only(std::move(result));
}

Interpreter::Values Interpreter::operator()(const Permute& e) {
  const Value& array = bound_.at(e.array);
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

Interpreter::Values Interpreter::operator()(const Copy& e) { return only(last_value_of(e.array)); }

Interpreter::Values Interpreter::operator()(const Scratch& e) {
  std::vector<std::int64_t> shape;
  for (const Operand& extent : e.shape) shape.push_back(size(extent));
  check_memory(shape);
  return only(filled(e.type, std::move(shape), 0));
}

// ---------------------------------------------------------------- control

Interpreter::Values Interpreter::operator()(const Branch& e) {
  return run(bound_.holds(e.condition) ? e.then_body : e.else_body);
}

Interpreter::Values Interpreter::operator()(const Loop& e) {
  const auto bind_values = [&](Values values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      bound_.bind(e.values[i].parameter.name, std::move(values[i]));
    }
  };
  Values initial;
  for (const LoopValue& value : e.values) initial.push_back(last_value_of(value.initial));
  bind_values(std::move(initial));
  if (const auto* form = std::get_if<ForForm>(&e.form)) {
    const Constant bound = bound_.scalar(form->bound);
    for (std::int64_t i = 0; i < integer_value(bound); ++i) {
      bound_.bind(form->index.name, make_integer(bound.type, i));
      bind_values(run(e.body));
    }
  } else {
    const NameId condition = std::get<WhileForm>(e.form).condition;
    while (bound_.holds(condition)) bind_values(run(e.body));
  }
  Values results;
  for (const LoopValue& value : e.values) results.push_back(bound_.take(value.parameter.name));
  return results;
}

Interpreter::Values Interpreter::operator()(const Call& e) {
  Values arguments = last_values_of(e.arguments);
  if (!is_trace(e.function)) return call(e.function, std::move(arguments));
  const Traced traced = traced_by(e.function);
  arguments.erase(arguments.begin(),
                  arguments.end() - static_cast<std::ptrdiff_t>(traced.leaves.size()));
  on_trace_(traced, arguments);
  return {};
}

Interpreter::Values Interpreter::operator()(const Assert& e) {
  if (bound_.holds(e.condition)) return only(scalar_value(make_bool(true)));
  std::string message;
  std::size_t next = 0;
  for (std::size_t i = 0; i < e.message.size(); ++i) {
    if (e.message.compare(i, 2, "{}") == 0 && next < e.arguments.size()) {
      message += std::to_string(bound_.integer(e.arguments[next++]));
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
    return Interpreter(program, on_trace).call(function, std::move(arguments));
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
