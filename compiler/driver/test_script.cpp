#include "driver/test_script.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

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

// ---------------------------------------------------------------- the binary format

constexpr std::size_t binary_header = 7;  // `b`, version, rank, four characters of type

// The value in the binary format at the start of `text`.
struct BinaryValue {
  std::size_t element_bytes;
  std::vector<int64_t> shape;
  std::size_t header;  // bytes before the elements
  std::size_t bytes;   // all of it
};

std::optional<BinaryValue> binary_value(std::string_view text) {
  if (text.size() < binary_header || text[0] != 'b') return std::nullopt;
  std::string_view name = text.substr(3, 4);
  name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
  const auto element = runtime::element_named(name);
  if (!element) return std::nullopt;
  const auto rank = static_cast<std::size_t>(static_cast<unsigned char>(text[2]));
  BinaryValue value{static_cast<std::size_t>(runtime::element_info(*element).bytes), {},
                    binary_header + 8 * rank, 0};
  if (text.size() < value.header) return std::nullopt;
  value.shape.resize(rank);
  if (rank > 0) std::memcpy(value.shape.data(), text.data() + binary_header, 8 * rank);
  std::size_t count = 1;
  for (const int64_t size : value.shape) count *= static_cast<std::size_t>(size);
  value.bytes = value.header + count * value.element_bytes;
  return text.size() < value.bytes ? std::nullopt : std::optional(value);
}

std::vector<std::string> split_binary(std::string_view text) {
  std::vector<std::string> leaves;
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(" \n"), text.size()));
    const auto value = binary_value(text);
    if (!value) return leaves;
    leaves.emplace_back(text.substr(0, value->bytes));
    text.remove_prefix(value->bytes);
  }
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
      const std::string builtin = name();
      return call_builtin(builtin, atom());
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

  ScriptValue call_builtin(const std::string& builtin, const ScriptValue& argument) {
    if (builtin != "loaddata" && builtin != "loadbytes") {
      throw ScriptError{"there is no builtin `$" + builtin +
                        "`; there are `$loaddata` and `$loadbytes`"};
    }
    if (argument.leaves.size() != 1 || argument.leaves[0].front() != '"') {
      throw ScriptError{"`$" + builtin + "` takes the name of a file"};
    }
    const std::string& quoted = argument.leaves.front();
    const std::string file = quoted.substr(1, quoted.size() - 2);
    std::ifstream in(context_.folder / file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in) throw ScriptError{"cannot read `" + file + "`"};
    return ScriptValue{{builtin == "loadbytes" ? bytes_value(text.str()) : text.str()}};
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
