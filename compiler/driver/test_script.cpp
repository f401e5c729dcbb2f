#include "driver/test_script.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include "driver/binary_values.h"
#include "values.h"

namespace dagaz::driver {

namespace {

// Leaves in the text or the binary format, or named fields (of a tuple: 0, 1, …).
struct ScriptValue {
  std::vector<std::string> leaves = {};
  std::vector<std::pair<std::string, ScriptValue>> fields = {};
};

// Ends the evaluation; caught in evaluate_script.
struct ScriptError {
  std::string message;
};

ScriptValue tuple(std::vector<ScriptValue> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  ScriptValue result;
  for (ScriptValue& part : parts) {
    result.fields.emplace_back(std::to_string(result.fields.size()), std::move(part));
  }
  return result;
}

std::string bytes_value(const std::string& bytes) {
  std::string out;
  runtime::write_value(out, runtime::ValueFormat::binary, DZ_U8,
                       {static_cast<int64_t>(bytes.size())}, bytes.data());
  return out;
}

// The element, or row, at `index` of the outermost dimension.
std::string element_of(const std::string& leaf, int64_t index) {
  const auto value = binary_value(leaf);
  if (!value || value->shape.empty()) throw ScriptError{"only results that are arrays are indexed"};
  if (index < 0 || index >= value->shape[0]) {
    throw ScriptError{"index " + std::to_string(index) + " is out of bounds"};
  }
  const std::size_t row =
      (value->bytes - value->header) / static_cast<std::size_t>(value->shape[0]);
  std::string out = leaf.substr(0, binary_header);
  out[2] = static_cast<char>(value->shape.size() - 1);
  out += leaf.substr(binary_header + 8, value->header - binary_header - 8);
  return out + leaf.substr(value->header + row * static_cast<std::size_t>(index), row);
}

// ---------------------------------------------------------------- evaluation

// Parses and evaluates at once: an expression is short and its parts are always needed.
class Script {
 public:
  Script(std::string_view text, const ScriptContext& context) : text_(text), context_(context) {}

  std::string run() {
    skip_space();
    const ScriptValue value = expression();
    if (position_ < text_.size()) throw ScriptError{"unexpected " + rest()};
    std::string out;
    append(value, out);
    return out;
  }

 private:
  ScriptValue expression() {
    if (!eat_word("let")) return application();
    std::vector<std::string> names;
    const bool parts = eat("(");
    do {
      if (!parts || !at(")")) names.push_back(name());
    } while (parts && eat(","));
    if (parts) need(")");
    need("=");
    ScriptValue value = expression();
    bind(names, parts, std::move(value));
    if (!at_word("let")) need_word("in");
    return expression();
  }

  void bind(const std::vector<std::string>& names, bool parts, ScriptValue value) {
    if (!parts) {
      variables_[names.front()] = std::move(value);
      return;
    }
    if (value.fields.size() != names.size()) {
      throw ScriptError{"the pattern has " + std::to_string(names.size()) + " names for a value of " +
                        std::to_string(value.fields.size()) + " parts"};
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      variables_[names[i]] = std::move(value.fields[i].second);
    }
  }

  ScriptValue application() {
    if (eat("$")) {
      return call_builtin(name());
    }
    const std::size_t start = position_;
    if (!at_name() || at_literal_word()) return atom();
    const std::string function = name();
    if (variables_.contains(function) || !at_atom()) {
      position_ = start;
      return atom();
    }
    std::vector<ScriptValue> arguments;
    while (at_atom()) arguments.push_back(atom());
    return call(function, arguments);
  }

  ScriptValue atom() {
    ScriptValue value = plain_atom();
    while (eat(".")) value = project(value, name());
    return value;
  }

  ScriptValue plain_atom() {
    if (eat("(")) return tuple(list(")"));
    if (eat("{")) return record();
    if (at("\"")) return ScriptValue{{literal(&Script::pass_string)}};
    if (at("[")) return ScriptValue{{literal(&Script::pass_brackets)}};
    if (!at_name() || at_literal_word()) return ScriptValue{{literal(&Script::pass_scalar)}};
    const std::string variable = raw_name();
    const bool indexed = at("[");
    skip_space();
    const auto known = variables_.find(variable);
    ScriptValue value = known != variables_.end() ? known->second : call(variable, {});
    if (!indexed) return value;
    need("[");
    for (const ScriptValue& index : list("]")) value = element(value, number(index));
    return value;
  }

  std::vector<ScriptValue> list(std::string_view close) {
    std::vector<ScriptValue> parts;
    while (!at(close)) {
      parts.push_back(expression());
      if (!eat(",")) break;
    }
    need(close);
    return parts;
  }

  ScriptValue record() {
    ScriptValue result;
    while (!at("}")) {
      std::string field = name();
      need("=");
      result.fields.emplace_back(std::move(field), expression());
      if (!eat(",")) break;
    }
    need("}");
    return result;
  }

  static ScriptValue project(const ScriptValue& value, const std::string& field) {
    for (const auto& [name, part] : value.fields) {
      if (name == field) return part;
    }
    throw ScriptError{"the value has no field `" + field + "`"};
  }

  static ScriptValue element(const ScriptValue& value, int64_t index) {
    ScriptValue result;
    for (const std::string& leaf : value.leaves) result.leaves.push_back(element_of(leaf, index));
    for (const auto& [name, part] : value.fields) {
      result.fields.emplace_back(name, element(part, index));
    }
    return result;
  }

  static int64_t number(const ScriptValue& value) {
    int64_t result = 0;
    if (value.leaves.size() == 1 && value.fields.empty()) {
      const std::string& leaf = value.leaves.front();
      if (const auto binary = binary_value(leaf)) {
        std::memcpy(&result, leaf.data() + binary->header, std::min<std::size_t>(
                                                               binary->element_bytes, 8));
        return result;
      }
      if (std::from_chars(leaf.data(), leaf.data() + leaf.size(), result).ec == std::errc()) {
        return result;
      }
    }
    throw ScriptError{"an index must be an integer"};
  }

  // ------------------------------------------------------------ functions

  ScriptValue call_builtin(const std::string& builtin) {
    if (builtin == "loaddata") return ScriptValue{{read(quoted(builtin))}};
    if (builtin == "loadbytes") return ScriptValue{{bytes_value(read(quoted(builtin)))}};
    if (builtin == "restore") {
      const std::string type = quoted(builtin);
      return restore(type, quoted(builtin));
    }
    throw ScriptError{"there is no builtin `$" + builtin +
                      "`; there are `$loaddata`, `$loadbytes` and `$restore`"};
  }

  // The text that a builtin takes as its next argument.
  std::string quoted(const std::string& builtin) {
    const ScriptValue argument = at("\"") ? plain_atom() : ScriptValue{};
    if (argument.leaves.empty()) {
      throw ScriptError{"`$" + builtin + "` takes " +
                        (builtin == "restore" ? "a type and the name of a file, both in quotes"
                                              : "the name of a file in quotes")};
    }
    const std::string& leaf = argument.leaves.front();
    return leaf.substr(1, leaf.size() - 2);
  }

  std::string read(const std::string& file) const {
    std::ifstream in(context_.folder / file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in) throw ScriptError{"cannot read `" + file + "`"};
    return text.str();
  }

  // The value of a type of the program that the server's command `store` wrote to the file.
  ScriptValue restore(const std::string& type, const std::string& file) {
    const std::string text = read(file);
    std::string_view stored = text;
    if (const auto bytes = runtime::stored_bytes(stored)) {
      stored = stored.substr(runtime::stored_header, *bytes - runtime::stored_header);
    }
    const std::vector<std::string> leaves = split_binary(stored);
    const auto& types = context_.program.external_types;
    const auto found = std::find_if(types.begin(), types.end(),
                                    [&](const auto& one) { return one.name == type; });
    if (found == types.end()) throw ScriptError{"no entry point uses a type `" + type + "`"};
    if (leaves.size() != found->leaves.size()) {
      throw ScriptError{"`" + file + "` does not hold a stored value of type `" + type + "`"};
    }
    auto next = leaves.begin();
    return typed(static_cast<int>(found - types.begin()), next, leaves.end());
  }

  ScriptValue call(const std::string& function, const std::vector<ScriptValue>& arguments) {
    const auto& entries = context_.program.entries;
    const auto entry = std::find_if(entries.begin(), entries.end(),
                                    [&](const auto& one) { return one.name == function; });
    if (entry == entries.end()) {
      throw ScriptError{"there is no variable or entry point `" + function + "`"};
    }
    std::string input;
    for (const ScriptValue& argument : arguments) append(argument, input);
    std::string problem;
    const auto output = context_.run(function, input, problem);
    if (!output) throw ScriptError{"`" + function + "` failed: " + problem};
    const std::vector<std::string> leaves = split_binary(*output);
    auto next = leaves.begin();
    std::vector<ScriptValue> results;
    for (const ir::ExternalValue& result : entry->outputs) {
      results.push_back(typed(result.type, next, leaves.end()));
    }
    return tuple(std::move(results));
  }

  // The next leaves as a value of an external type; records are taken apart.
  ScriptValue typed(int index, std::vector<std::string>::const_iterator& next,
                    std::vector<std::string>::const_iterator end) {
    const auto& type = context_.program.external_types[static_cast<std::size_t>(index)];
    ScriptValue value;
    if (type.kind == ir::ExternalKind::record) {
      for (const ir::ExternalMember& member : type.members) {
        value.fields.emplace_back(member.name, typed(member.types.front(), next, end));
      }
      return value;
    }
    for (std::size_t i = 0; i < type.leaves.size(); ++i) {
      if (next == end) throw ScriptError{"an entry point printed too few values"};
      value.leaves.push_back(*next++);
    }
    return value;
  }

  static void append(const ScriptValue& value, std::string& out) {
    for (const std::string& leaf : value.leaves) out += leaf + "\n";
    for (const auto& [name, part] : value.fields) append(part, out);
  }

  // ------------------------------------------------------------ words

  std::string literal(void (Script::*pass)()) {
    const std::size_t start = position_;
    (this->*pass)();
    std::string text(text_.substr(start, position_ - start));
    if (text.empty()) throw ScriptError{"expected an expression at " + rest()};
    skip_space();
    return text;
  }
  void pass_string() {
    for (++position_; position_ < text_.size() && text_[position_] != '"'; ++position_) {
      if (text_[position_] == '\\') ++position_;
    }
    if (position_ >= text_.size()) throw ScriptError{"a text without closing quote"};
    ++position_;
  }
  void pass_brackets() {
    int depth = 0;
    do {
      if (position_ >= text_.size()) throw ScriptError{"`[` without `]`"};
      if (at("\"")) {
        pass_string();
        continue;
      }
      depth += at("[") ? 1 : at("]") ? -1 : 0;
      ++position_;
    } while (depth > 0);
  }
  // A number, `true`, `f32.nan`, `-f64.inf`, `empty([0]i32)`.
  void pass_scalar() {
    if (at("-")) ++position_;
    char before = ' ';
    while (position_ < text_.size()) {
      const char c = text_[position_];
      const bool sign = (c == '+' || c == '-') && std::strchr("eEpP", before) != nullptr;
      if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '.' && !sign) break;
      before = c;
      ++position_;
    }
    if (!at("(")) return;
    const std::size_t close = text_.find(')', position_);
    if (close == std::string_view::npos) throw ScriptError{"`(` without `)`"};
    position_ = close + 1;
  }

  std::string raw_name() {
    const std::size_t start = position_;
    const auto belongs = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '\'';
    };
    while (position_ < text_.size() && belongs(text_[position_])) ++position_;
    if (start == position_) throw ScriptError{"expected a name at " + rest()};
    return std::string(text_.substr(start, position_ - start));
  }
  std::string name() {
    std::string text = raw_name();
    skip_space();
    return text;
  }

  std::string rest() const {
    return position_ >= text_.size() ? "the end of the script"
                                     : "`" + std::string(text_.substr(position_, 20)) + "`";
  }
  bool at(std::string_view what) const { return text_.substr(position_, what.size()) == what; }
  bool at_word(std::string_view what) const {
    const std::size_t after = position_ + what.size();
    return at(what) && (after >= text_.size() ||
                        std::isalnum(static_cast<unsigned char>(text_[after])) == 0);
  }
  bool at_name() const {
    return position_ < text_.size() &&
           std::isalpha(static_cast<unsigned char>(text_[position_])) != 0;
  }
  bool at_literal_word() const {
    return at_word("true") || at_word("false") || at("empty(") || at("f16.") || at("f32.") ||
           at("f64.");
  }
  bool at_atom() const {
    if (position_ >= text_.size() || at_word("in") || at_word("let")) return false;
    const char c = text_[position_];
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::strchr("([{\"-", c) != nullptr;
  }
  bool eat(std::string_view what) {
    if (!at(what)) return false;
    position_ += what.size();
    skip_space();
    return true;
  }
  bool eat_word(std::string_view what) { return at_word(what) && eat(what); }
  void need(std::string_view what) {
    if (!eat(what)) throw ScriptError{"expected `" + std::string(what) + "` at " + rest()};
  }
  void need_word(std::string_view what) {
    if (!eat_word(what)) throw ScriptError{"expected `" + std::string(what) + "` at " + rest()};
  }
  void skip_space() {
    while (position_ < text_.size() &&
           std::isspace(static_cast<unsigned char>(text_[position_])) != 0) {
      ++position_;
    }
  }

  std::string_view text_;
  const ScriptContext& context_;
  std::size_t position_ = 0;
  std::map<std::string, ScriptValue> variables_;
};

}  // namespace

std::optional<std::string> evaluate_script(const std::string& script,
                                           const ScriptContext& context, std::string& problem) {
  try {
    return Script(script, context).run();
  } catch (const ScriptError& error) {
    problem = error.message;
    return std::nullopt;
  }
}

}  // namespace dagaz::driver
