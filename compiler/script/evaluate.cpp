#include "script/evaluate.h"

#include <algorithm>
#include <cstring>

#include "data/binary_values.h"
#include "support/match.h"
#include "values.h"

namespace dagaz::script {

namespace {

using Kind = Value::Kind;
using data::Array;

// Ends an evaluation; caught where it began.
struct Failure {
  std::string message;
};

// The element, or row, at `index` of the outermost dimension.
Array element_of(const Array& array, int64_t index) {
  if (array.shape.empty()) throw Failure{"Cannot index non-array."};
  if (index < 0 || index >= array.shape[0]) {
    throw Failure{"Index " + std::to_string(index) + " out of bounds for array of shape [" +
                  std::to_string(array.shape[0]) + "]."};
  }
  const std::size_t row = array.bytes.size() / static_cast<std::size_t>(array.shape[0]);
  return {array.element,
          {array.shape.begin() + 1, array.shape.end()},
          array.bytes.substr(row * static_cast<std::size_t>(index), row)};
}

int64_t number(const Value& value) {
  const int32_t element = value.array.element;
  const bool is_integer = value.kind == Kind::array && value.array.shape.empty() &&
                          element >= DZ_I8 && element <= DZ_U64;
  if (!is_integer) throw Failure{"Invalid index type: " + type_of(value)};
  int64_t result = 0;
  std::memcpy(&result, value.array.bytes.data(), value.array.bytes.size());
  const auto unused = 64 - 8 * static_cast<int>(value.array.bytes.size());
  if (element > DZ_I64) return result;
  return static_cast<int64_t>(static_cast<uint64_t>(result) << unused) >> unused;
}

// Integers as elements of another type, as the peer converts constants.
std::optional<Array> converted(const Array& from, int32_t element) {
  if (from.element < DZ_I8 || from.element > DZ_I64 || element == DZ_BOOL || element == DZ_F16 ||
      (element >= DZ_U8 && element <= DZ_U64)) {
    return std::nullopt;
  }
  Array to{element, from.shape, {}};
  const auto width = static_cast<std::size_t>(runtime::element_info(from.element).bytes);
  const auto new_width = static_cast<std::size_t>(runtime::element_info(element).bytes);
  const Value one = array_value({from.element, {}, std::string(width, '\0')}, false);
  for (std::size_t at = 0; at < from.bytes.size(); at += width) {
    Value scalar = one;
    scalar.array.bytes = from.bytes.substr(at, width);
    const int64_t integer = number(scalar);
    char bytes[8];
    if (element == DZ_F32) {
      const auto real = static_cast<float>(integer);
      std::memcpy(bytes, &real, sizeof real);
    } else if (element == DZ_F64) {
      const auto real = static_cast<double>(integer);
      std::memcpy(bytes, &real, sizeof real);
    } else {
      std::memcpy(bytes, &integer, sizeof integer);
    }
    to.bytes.append(bytes, new_width);
  }
  return to;
}

const Value* field_of(const Value& value, const std::string& name) {
  for (const auto& field : value.fields) {
    if (field.first == name) return &field.second;
  }
  return nullptr;
}

class Evaluation {
 public:
  explicit Evaluation(const Machine& machine) : machine_(machine) {}

  Value value_of(const Expression& expression) {
    return match(
        expression.node, [&](const Call& call) { return call_value(call); },
        [](const Literal& literal) { return literal_value(literal.text); },
        [](const Text& text) { return bytes_value(text.bytes); },
        [&](const Tuple& tuple) { return tuple_value(values_of(tuple.parts)); },
        [&](const Record& record) {
          Value result;
          for (std::size_t i = 0; i < record.names.size(); ++i) {
            result.fields.emplace_back(record.names[i], value_of(record.values[i]));
          }
          return result;
        },
        [&](const Projection& projection) {
          return project(value_of(projection.whole.front()), projection.field);
        },
        [&](const Indexing& indexing) {
          Value value = value_of(indexing.array.front());
          return element(std::move(value), values_of(indexing.indices));
        },
        [&](const Let& let) {
          const std::size_t outside = variables_.size();
          bind(let, value_of(let.parts[0]));
          Value body = value_of(let.parts[1]);
          while (variables_.size() > outside) variables_.pop_back();
          return body;
        });
  }

  Value apply(const std::string& function, std::vector<Value> arguments) {
    const ir::EntryPoint& entry = entry_named(function);
    if (arguments.size() == 1 && is_tuple(arguments.front()) &&
        arguments.front().fields.size() == entry.inputs.size() && entry.inputs.size() != 1) {
      std::vector<Value> parts;
      for (auto& field : arguments.front().fields) parts.push_back(std::move(field.second));
      arguments = std::move(parts);
    }
    std::vector<Value> given;
    for (std::size_t i = 0; i < arguments.size() && i < entry.inputs.size(); ++i) {
      auto argument = as_type(arguments[i], entry.inputs[i].type);
      if (!argument) break;
      given.push_back(std::move(*argument));
    }
    if (given.size() < arguments.size()) throw Failure{misapplied(entry, arguments)};
    if (given.size() < entry.inputs.size()) return partial(entry, std::move(given));
    return call(entry, given);
  }

 private:
  const std::vector<ir::ExternalType>& types() const { return machine_.program->external_types; }
  const ir::ExternalType& type_at(int index) const {
    return types()[static_cast<std::size_t>(index)];
  }

  const ir::EntryPoint& entry_named(const std::string& name) const {
    for (const ir::EntryPoint& entry : machine_.program->entries) {
      if (entry.name == name) return entry;
    }
    throw Failure{"there is no variable or entry point `" + name + "`"};
  }

  static Value literal_value(const std::string& text) {
    std::string problem;
    auto values = data::read_values(text, "literal", problem);
    if (!values || values->size() != 1) throw Failure{"`" + text + "` is no value"};
    return array_value(std::move(values->front()), true);
  }

  std::vector<Value> values_of(const std::vector<Expression>& expressions) {
    std::vector<Value> values;
    for (const Expression& expression : expressions) values.push_back(value_of(expression));
    return values;
  }

  void bind(const Let& let, Value value) {
    if (!let.takes_apart || let.names.size() == 1) {
      variables_.emplace_back(let.names.front(), std::move(value));
      return;
    }
    if (!is_tuple(value) || value.fields.size() != let.names.size()) {
      std::string names;
      for (const std::string& name : let.names) names += (names.empty() ? "" : ", ") + name;
      throw Failure{"Pat: [" + names + "]\nDoes not match value of type: " + type_of(value)};
    }
    for (std::size_t i = 0; i < let.names.size(); ++i) {
      variables_.emplace_back(let.names[i], std::move(value.fields[i].second));
    }
  }

  static Value project(Value value, const std::string& name) {
    if (value.kind != Kind::record) throw Failure{"Cannot project from non-record."};
    const Value* field = field_of(value, name);
    if (field == nullptr) throw Failure{"Unknown field: " + name};
    return *field;
  }

  Value element(Value value, const std::vector<Value>& indices) {
    for (const Value& index : indices) {
      const int64_t i = number(index);
      if (value.kind == Kind::array) {
        value = array_value(element_of(value.array, i), false);
      } else {
        value = opaque_element(value, i);
      }
    }
    return value;
  }

  // Of an array of records, say.
  Value opaque_element(const Value& value, int64_t index) {
    const auto found = std::find_if(types().begin(), types().end(), [&](const auto& type) {
      return type.name == value.type && type.kind == ir::ExternalKind::opaque_array;
    });
    if (value.kind != Kind::opaque || found == types().end()) {
      throw Failure{"Cannot index non-array."};
    }
    std::vector<std::string> leaves;
    for (const std::string& leaf : value.leaves) {
      leaves.push_back(data::binary_of(element_of(data::array_of(leaf), index)));
    }
    if (found->rank > 1) {
      throw Failure{"only arrays of records with one dimension are indexed"};
    }
    auto next = leaves.begin();
    return typed(found->element_type, next);
  }

  // ---------------------------------------------------------------- calls

  Value call_value(const Call& call) {
    if (call.is_builtin) return builtin(call.function, values_of(call.arguments));
    const auto variable = std::find_if(variables_.rbegin(), variables_.rend(),
                                       [&](const auto& one) { return one.first == call.function; });
    if (variable == variables_.rend()) return apply(call.function, values_of(call.arguments));
    if (!call.arguments.empty()) {
      if (variable->second.kind != Kind::function) {
        throw Failure{"Locally bound name cannot be invoked as a function: " + call.function};
      }
      std::vector<Value> all = variable->second.arguments;
      for (Value& argument : values_of(call.arguments)) all.push_back(std::move(argument));
      return apply(variable->second.type, std::move(all));
    }
    return variable->second;
  }

  std::string parameter_type(const ir::ExternalValue& value) const {
    return type_at(value.type).name;
  }

  std::string misapplied(const ir::EntryPoint& entry, const std::vector<Value>& arguments) const {
    std::string message = "Function \"" + entry.name + "\" expects " +
                          std::to_string(entry.inputs.size()) + " argument(s) of types:\n";
    for (std::size_t i = 0; i < entry.inputs.size(); ++i) {
      message += (i == 0 ? "" : "\n") + parameter_type(entry.inputs[i]);
    }
    message += "\nBut applied to " + std::to_string(arguments.size()) + " argument(s) of types:\n";
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      message += (i == 0 ? "" : "\n") + type_of(arguments[i]);
    }
    return message;
  }

  Value partial(const ir::EntryPoint& entry, std::vector<Value> arguments) const {
    Value function{Kind::function};
    function.type = entry.name;
    function.arguments = std::move(arguments);
    for (const ir::ExternalValue& input : entry.inputs) {
      function.signature.push_back(parameter_type(input));
    }
    std::string result;
    for (const ir::ExternalValue& output : entry.outputs) {
      result += (result.empty() ? "" : ", ") + parameter_type(output);
    }
    function.signature.push_back(entry.outputs.size() == 1 ? result : "(" + result + ")");
    return function;
  }

  // The value as one of that type of the program; nothing if it is none.
  std::optional<Value> as_type(const Value& value, int index) const {
    const ir::ExternalType& type = type_at(index);
    switch (type.kind) {
      case ir::ExternalKind::scalar:
      case ir::ExternalKind::array: return as_array(value, type);
      case ir::ExternalKind::record: return as_record(value, type);
      case ir::ExternalKind::sum:
      case ir::ExternalKind::opaque_array:
      case ir::ExternalKind::opaque: break;
    }
    if (value.kind == Kind::opaque && value.type == type.name) return value;
    return std::nullopt;
  }

  static std::optional<Value> as_array(const Value& value, const ir::ExternalType& type) {
    const ir::ExternalLeaf& leaf = type.leaves.front();
    const auto element = static_cast<int32_t>(leaf.element);
    const auto rank = static_cast<std::size_t>(leaf.rank);
    if (value.kind != Kind::array || value.array.shape.size() != rank) return std::nullopt;
    if (value.array.element == element) return value;
    if (!value.is_constant) return std::nullopt;
    if (!value.array.literal.empty()) {
      if (auto array = data::literal_as(value.array.literal, element, rank)) {
        return array_value(std::move(*array), true);
      }
    }
    auto array = converted(value.array, element);
    if (!array) return std::nullopt;
    return array_value(std::move(*array), true);
  }

  std::optional<Value> as_record(const Value& value, const ir::ExternalType& type) const {
    if (value.kind != Kind::record || value.fields.size() != type.members.size()) {
      return std::nullopt;
    }
    Value result{Kind::record, type.name};
    for (const ir::ExternalMember& member : type.members) {
      const Value* field = field_of(value, member.name);
      auto part = field == nullptr ? std::nullopt : as_type(*field, member.types.front());
      if (!part) return std::nullopt;
      result.fields.emplace_back(member.name, std::move(*part));
    }
    return result;
  }

  Value call(const ir::EntryPoint& entry, const std::vector<Value>& arguments) {
    std::string input;
    for (const Value& argument : arguments) append_input(argument, input);
    std::string problem;
    const auto output = machine_.run(entry.name, input, problem);
    if (!output) throw Failure{"`" + entry.name + "` failed: " + problem};
    std::vector<std::string> leaves = data::split_binary(*output);
    std::size_t expected = 0;
    for (const ir::ExternalValue& result : entry.outputs) {
      expected += type_at(result.type).leaves.size();
    }
    if (leaves.size() != expected) throw Failure{"`" + entry.name + "` gave no readable values"};
    auto next = leaves.begin();
    std::vector<Value> results;
    for (const ir::ExternalValue& result : entry.outputs) {
      results.push_back(typed(result.type, next));
    }
    return tuple_value(std::move(results));
  }

  // The next leaves as a value of that type.
  Value typed(int index, std::vector<std::string>::iterator& next) const {
    const ir::ExternalType& type = type_at(index);
    if (type.kind == ir::ExternalKind::record) {
      Value value{Kind::record, type.name};
      for (const ir::ExternalMember& member : type.members) {
        value.fields.emplace_back(member.name, typed(member.types.front(), next));
      }
      return value;
    }
    if (type.kind == ir::ExternalKind::scalar || type.kind == ir::ExternalKind::array) {
      return array_value(data::array_of(*next++), false);
    }
    Value value{Kind::opaque, type.name};
    for (std::size_t i = 0; i < type.leaves.size(); ++i) value.leaves.push_back(*next++);
    return value;
  }

  // ---------------------------------------------------------------- builtins

  Value builtin(const std::string& name, std::vector<Value> arguments) {
    if (name == "loaddata") return load(name, arguments);
    if (name == "loadbytes") return bytes_value(read(path(name, arguments, 0, 1)));
    if (name == "restore") {
      const std::string type = path(name, arguments, 0, 2);
      return restore(type, path(name, arguments, 1, 2));
    }
    std::string problem;
    if (machine_.builtin) {
      if (auto value = machine_.builtin(name, arguments, problem)) return std::move(*value);
    }
    if (problem.empty()) problem = "Unknown builtin function $" + name;
    throw Failure{problem};
  }

  static std::string path(const std::string& builtin, const std::vector<Value>& arguments,
                          std::size_t index, std::size_t count) {
    std::string types;
    for (const Value& argument : arguments) {
      types += (types.empty() ? "" : ", ") + type_of(argument);
    }
    const Value* argument = arguments.size() == count ? &arguments[index] : nullptr;
    if (argument == nullptr || argument->kind != Kind::array || argument->type != "[]u8") {
      throw Failure{"$" + builtin + " does not accept arguments of types: " + types};
    }
    return argument->array.bytes;
  }

  std::string read(const std::string& file) const {
    auto text = machine_.read(file);
    if (!text) throw Failure{"cannot read `" + file + "`"};
    return std::move(*text);
  }

  Value load(const std::string& name, const std::vector<Value>& arguments) const {
    const std::string file = path(name, arguments, 0, 1);
    std::string problem;
    auto arrays = data::read_values(read(file), file, problem);
    if (!arrays) throw Failure{problem};
    std::vector<Value> values;
    for (Array& array : *arrays) values.push_back(array_value(std::move(array), true));
    return tuple_value(std::move(values));
  }

  // The value of a type of the program that the server's command `store` wrote to the file.
  Value restore(const std::string& type, const std::string& file) const {
    const std::string text = read(file);
    std::string_view stored = text;
    if (const auto bytes = runtime::stored_bytes(stored)) {
      stored = stored.substr(runtime::stored_header, *bytes - runtime::stored_header);
    }
    std::vector<std::string> leaves = data::split_binary(stored);
    const auto found = std::find_if(types().begin(), types().end(),
                                    [&](const auto& one) { return one.name == type; });
    if (found == types().end()) throw Failure{"no entry point uses a type `" + type + "`"};
    if (leaves.size() != found->leaves.size()) {
      throw Failure{"`" + file + "` does not hold a stored value of type `" + type + "`"};
    }
    auto next = leaves.begin();
    return typed(static_cast<int>(found - types().begin()), next);
  }

  const Machine& machine_;
  std::vector<std::pair<std::string, Value>> variables_;  // later ones hide earlier ones
};

// Not across folders: what went wrong is said by a return value.
template <typename Act>
std::optional<Value> attempt(const Act& act, std::string& problem) {
  try {
    return act();
  } catch (const Failure& failure) {
    problem = failure.message;
    return std::nullopt;
  }
}

}  // namespace

std::optional<Value> evaluate(const Expression& expression, const Machine& machine,
                              std::string& problem) {
  return attempt([&] { return Evaluation(machine).value_of(expression); }, problem);
}

std::optional<Value> apply(const Value& function, std::vector<Value> arguments,
                           const Machine& machine, std::string& problem) {
  std::vector<Value> all = function.arguments;
  for (Value& argument : arguments) all.push_back(std::move(argument));
  return attempt([&] { return Evaluation(machine).apply(function.type, std::move(all)); },
                 problem);
}

}  // namespace dagaz::script
