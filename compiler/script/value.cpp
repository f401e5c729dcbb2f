#include "script/value.h"

#include <algorithm>

#include "values.h"

namespace dagaz::script {

namespace {

using Fields = std::vector<std::pair<std::string, Value>>;

// The peer prints records by the names of their fields.
std::vector<const Fields::value_type*> by_name(const Fields& fields) {
  std::vector<const Fields::value_type*> result;
  for (const auto& field : fields) result.push_back(&field);
  std::sort(result.begin(), result.end(),
            [](const auto* a, const auto* b) { return a->first < b->first; });
  return result;
}

// The peer prints each row of a matrix on a line.
std::string in_rows(std::string text) {
  for (std::size_t at = 0; (at = text.find("], [", at)) != std::string::npos; at += 3) {
    text[at + 2] = '\n';
  }
  return text;
}

}  // namespace

Value::Value() = default;
Value::Value(Kind its_kind, std::string its_type) : kind(its_kind), type(std::move(its_type)) {}
Value::Value(const Value&) = default;
Value::Value(Value&&) noexcept = default;
Value& Value::operator=(const Value&) = default;
Value& Value::operator=(Value&&) noexcept = default;
Value::~Value() = default;

Value array_value(data::Array array, bool is_constant) {
  Value value{Value::Kind::array};
  value.type = data::type_name(array);
  value.array = std::move(array);
  value.is_constant = is_constant;
  return value;
}

Value bytes_value(const std::string& bytes) {
  return array_value({DZ_U8, {static_cast<int64_t>(bytes.size())}, bytes}, false);
}

Value tuple_value(std::vector<Value> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  Value result;
  for (Value& part : parts) {
    result.fields.emplace_back(std::to_string(result.fields.size()), std::move(part));
  }
  return result;
}

bool is_tuple(const Value& value) {
  for (std::size_t i = 0; i < value.fields.size(); ++i) {
    if (value.fields[i].first != std::to_string(i)) return false;
  }
  return value.kind == Value::Kind::record && value.fields.size() != 1;
}

std::string type_of(const Value& value) {
  std::string out;
  switch (value.kind) {
    case Value::Kind::array:
    case Value::Kind::opaque: return value.type;
    case Value::Kind::function:
      for (std::size_t i = value.arguments.size(); i < value.signature.size(); ++i) {
        out += (out.empty() ? "" : " -> ") + value.signature[i];
      }
      return out;
    case Value::Kind::record: break;
  }
  if (is_tuple(value)) {
    for (const auto& field : value.fields) {
      out += (out.empty() ? "" : ", ") + type_of(field.second);
    }
    return "(" + out + ")";
  }
  for (const auto* field : by_name(value.fields)) {
    out += (out.empty() ? "" : ", ") + field->first + "=" + type_of(field->second);
  }
  return "{" + out + "}";
}

std::optional<std::string> text_of(const Value& value, std::string& problem) {
  switch (value.kind) {
    case Value::Kind::array: return in_rows(data::text_of(value.array));
    case Value::Kind::opaque:
      problem = "Type " + value.type + " has no external representation.";
      return std::nullopt;
    case Value::Kind::function:
      problem = "Function " + value.type + " not fully applied.";
      return std::nullopt;
    case Value::Kind::record: break;
  }
  const bool tuple = is_tuple(value);
  std::string out;
  const auto add = [&](const Fields::value_type& field) {
    const auto text = text_of(field.second, problem);
    if (text) out += (out.empty() ? "" : ", ") + (tuple ? "" : field.first + "=") + *text;
    return text.has_value();
  };
  if (tuple) {
    for (const auto& field : value.fields) {
      if (!add(field)) return std::nullopt;
    }
    return "(" + out + ")";
  }
  for (const auto* field : by_name(value.fields)) {
    if (!add(*field)) return std::nullopt;
  }
  return "{" + out + "}";
}

void append_input(const Value& value, std::string& out) {
  if (value.kind == Value::Kind::array) {
    // The program knows better what the numbers of a literal are.
    out += value.array.literal.empty() ? data::binary_of(value.array) : value.array.literal;
    out += '\n';
  }
  for (const std::string& leaf : value.leaves) out += leaf + "\n";
  for (const auto& [name, field] : value.fields) append_input(field, out);
}

}  // namespace dagaz::script
