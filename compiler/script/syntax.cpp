#include "script/syntax.h"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "support/match.h"

namespace dagaz::script {

namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

constexpr int deepest = 500;  // expressions inside of others

// Recursive descent.  After a mistake, everything fails up to the start.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) { skip_space(); }

  Expression expression() {
    if (++depth_ > deepest) fail("the expression is nested too deeply");
    Expression result = failed() ? Expression{Tuple{}} : any_expression();
    --depth_;
    return result;
  }
  std::size_t position() const { return position_; }
  bool at_end() const { return position_ == text_.size(); }
  bool failed() const { return !problem_.empty(); }
  const std::string& problem() const { return problem_; }
  void fail(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
    position_ = text_.size();
  }
  std::string rest() const {
    return at_end() ? "the end of the script"
                    : "`" + std::string(text_.substr(position_, 20)) + "`";
  }

 private:
  Expression any_expression() {
    if (at_word("let")) return binding();
    if (eat("$")) {
      std::string builtin = name();
      return Expression{Call{std::move(builtin), true, arguments()}};
    }
    const std::size_t start = position_;
    if (at_name()) {
      std::string function = raw_name();
      const bool is_indexed = at("[");
      const bool is_projected = at(".");
      skip_space();
      if (!is_indexed && !is_projected && at_atom()) {
        return Expression{Call{std::move(function), false, arguments()}};
      }
      position_ = start;
    }
    return atom();
  }

  std::vector<Expression> arguments() {
    std::vector<Expression> result;
    while (at_atom()) result.push_back(atom());
    return result;
  }

  Expression binding() {
    need("let");
    Let let{{}, eat("("), {}};
    do {
      if (!let.takes_apart || !at(")")) let.names.push_back(name());
    } while (let.takes_apart && eat(","));
    if (let.takes_apart) need(")");
    need("=");
    let.parts.push_back(expression());
    if (!at_word("let")) {
      if (!at_word("in")) fail("expected `in` at " + rest());
      eat("in");
    }
    let.parts.push_back(expression());
    return Expression{std::move(let)};
  }

  Expression atom() {
    Expression result = plain_atom();
    while (eat(".")) {
      std::string field = field_name();
      std::vector<Expression> whole;
      whole.push_back(std::move(result));
      result = Expression{Projection{std::move(whole), std::move(field)}};
    }
    return result;
  }

  Expression plain_atom() {
    if (eat("(")) {
      std::vector<Expression> parts = list(")");
      if (parts.size() == 1) return std::move(parts.front());
      return Expression{Tuple{std::move(parts)}};
    }
    if (eat("{")) return record();
    if (at("\"")) return Expression{Text{quoted()}};
    if (at("[")) return Expression{Literal{literal(&Parser::pass_brackets)}};
    if (eat("$")) return Expression{Call{name(), true, {}}};
    if (!at_name()) return Expression{Literal{literal(&Parser::pass_scalar)}};
    Expression variable{Call{raw_name(), false, {}}};
    const bool is_indexed = at("[");
    skip_space();
    if (!is_indexed) return variable;
    need("[");
    std::vector<Expression> array;
    array.push_back(std::move(variable));
    return Expression{Indexing{std::move(array), list("]")}};
  }

  std::vector<Expression> list(std::string_view close) {
    std::vector<Expression> parts;
    while (!at(close) && !failed()) {
      parts.push_back(expression());
      if (!eat(",")) break;
    }
    need(close);
    return parts;
  }

  Expression record() {
    Record result;
    while (!at("}") && !failed()) {
      std::string field = name();
      need("=");
      if (std::find(result.names.begin(), result.names.end(), field) != result.names.end()) {
        fail("the record has two fields `" + field + "`");
      }
      result.names.push_back(std::move(field));
      result.values.push_back(expression());
      if (!eat(",")) break;
    }
    need("}");
    return Expression{std::move(result)};
  }

  // ---------------------------------------------------------------- words

  std::string literal(void (Parser::*pass)()) {
    const std::size_t start = position_;
    (this->*pass)();
    std::string text(text_.substr(start, position_ - start));
    if (text.empty()) fail("expected an expression at " + rest());
    skip_space();
    return text;
  }
  std::string quoted() {
    std::string bytes;
    for (++position_; position_ < text_.size() && text_[position_] != '"'; ++position_) {
      char c = text_[position_];
      if (c == '\\' && position_ + 1 < text_.size()) {
        c = text_[++position_];
        if (c == 'n') c = '\n';
        if (c == 't') c = '\t';
      }
      bytes += c;
    }
    if (at_end()) {
      fail("a text without closing quote");
      return bytes;
    }
    ++position_;
    skip_space();
    return bytes;
  }
  void pass_brackets() {
    int depth = 0;
    do {
      if (at_end()) return fail("`[` without `]`");
      if (at("\"")) {
        quoted();
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
    const std::size_t start = position_;
    while (position_ < text_.size()) {
      const char c = text_[position_];
      const bool is_hexadecimal = text_.substr(start).starts_with("0x");
      const bool sign = (c == '+' || c == '-') &&
                        std::strchr(is_hexadecimal ? "pP" : "eE", before) != nullptr;
      // Of a number, unless it is the dot of a projection.
      const bool dot = c == '.' && (position_ + 1 >= text_.size() ||
                                    !is_letter(text_[position_ + 1]) || before == '2' ||
                                    before == '4' || before == '6');
      if (!is_word_character(c) && c != '_' && !dot && !sign) break;
      before = c;
      ++position_;
    }
    if (!at("(") || text_.substr(start, position_ - start) != "empty") return;
    const std::size_t close = text_.find(')', position_);
    if (close == std::string_view::npos) return fail("`(` without `)`");
    position_ = close + 1;
  }

  std::string raw_name() {
    const std::size_t start = position_;
    while (position_ < text_.size() && (is_word_character(text_[position_]) ||
                                        text_[position_] == '_' || text_[position_] == '\'')) {
      ++position_;
    }
    if (start == position_) fail("expected a name at " + rest());
    return std::string(text_.substr(start, position_ - start));
  }
  std::string field_name() { return name(); }
  std::string name() {
    std::string text = raw_name();
    skip_space();
    return text;
  }

  bool at(std::string_view what) const { return text_.substr(position_, what.size()) == what; }
  bool at_word(std::string_view what) const {
    const std::size_t after = position_ + what.size();
    return at(what) &&
           (after >= text_.size() || (!is_word_character(text_[after]) && text_[after] != '_'));
  }
  bool at_name() const {
    const bool is_literal = at_word("true") || at_word("false") || at("empty(") || at("f16.") ||
                            at("f32.") || at("f64.");
    return !at_end() && is_letter(text_[position_]) && !is_literal && !at_word("in");
  }
  bool at_atom() const {
    if (at_end() || at_word("in") || at_word("let")) return false;
    const char c = text_[position_];
    return is_word_character(c) || std::strchr("([{\"-$", c) != nullptr;
  }
  bool eat(std::string_view what) {
    if (!at(what) || at_end()) return false;
    position_ += what.size();
    skip_space();
    return true;
  }
  void need(std::string_view what) {
    if (!eat(what)) fail("expected `" + std::string(what) + "` at " + rest());
  }
  void skip_space() {
    while (!at_end() && std::isspace(static_cast<unsigned char>(text_[position_])) != 0) {
      ++position_;
    }
  }

  std::string_view text_;
  std::size_t position_ = 0;
  int depth_ = 0;
  std::string problem_;
};

void add_all(const std::vector<Expression>& expressions, std::set<std::string>& names) {
  for (const Expression& expression : expressions) add_functions(expression, names);
}

std::string joined(const std::vector<Expression>& expressions) {
  std::string out;
  for (const Expression& expression : expressions) {
    out += (out.empty() ? "" : ", ") + printed(expression);
  }
  return out;
}

// Where only an atom can stand.
std::string as_atom(const Expression& expression) {
  const auto* call = as<Call>(expression.node);
  const bool is_open = as<Let>(expression.node) != nullptr ||
                       (call != nullptr && !call->arguments.empty());
  return is_open ? "(" + printed(expression) + ")" : printed(expression);
}

std::string print_call(const Call& call) {
  std::string out = (call.is_builtin ? "$" : "") + call.function;
  for (const Expression& argument : call.arguments) out += " " + as_atom(argument);
  return out;
}

std::string print_record(const Record& record) {
  std::string out;
  for (std::size_t i = 0; i < record.names.size(); ++i) {
    out += (i == 0 ? "" : ", ") + record.names[i] + "=" + printed(record.values[i]);
  }
  return "{" + out + "}";
}

std::string print_let(const Let& let) {
  std::string names;
  for (const std::string& name : let.names) names += (names.empty() ? "" : ", ") + name;
  if (let.takes_apart && let.names.size() != 1) names = "(" + names + ")";
  return "let " + names + " = " + printed(let.parts[0]) + " in " + printed(let.parts[1]);
}

std::string print_text(const std::string& bytes) {
  std::string out = "\"";
  for (const char c : bytes) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? "\\n" : std::string(1, c);
  }
  return out + "\"";
}

}  // namespace

std::optional<Expression> parse_prefix(std::string_view text, std::size_t& used,
                                       std::string& problem) {
  Parser parser(text);
  Expression result = parser.expression();
  if (parser.failed()) {
    problem = parser.problem();
    return std::nullopt;
  }
  used = parser.position();
  return result;
}

std::optional<Expression> parse(std::string_view text, std::string& problem) {
  std::size_t used = 0;
  auto result = parse_prefix(text, used, problem);
  if (result && used < text.size()) {
    problem = "unexpected `" + std::string(text.substr(used, 20)) + "`";
    return std::nullopt;
  }
  return result;
}

void add_functions(const Expression& expression, std::set<std::string>& names) {
  match(
      expression.node,
      [&](const Call& call) {
        if (!call.is_builtin) names.insert(call.function);
        add_all(call.arguments, names);
      },
      [](const Literal&) {}, [](const Text&) {},
      [&](const Tuple& tuple) { add_all(tuple.parts, names); },
      [&](const Record& record) { add_all(record.values, names); },
      [&](const Projection& projection) { add_all(projection.whole, names); },
      [&](const Indexing& indexing) {
        add_all(indexing.array, names);
        add_all(indexing.indices, names);
      },
      [&](const Let& let) {
        add_functions(let.parts[0], names);
        std::set<std::string> inside;
        add_functions(let.parts[1], inside);
        for (const std::string& name : let.names) inside.erase(name);
        names.insert(inside.begin(), inside.end());
      });
}

std::string printed(const Expression& expression) {
  return match(
      expression.node, [](const Call& call) { return print_call(call); },
      [](const Literal& literal) { return literal.text; },
      [](const Text& text) { return print_text(text.bytes); },
      [](const Tuple& tuple) { return "(" + joined(tuple.parts) + ")"; },
      [](const Record& record) { return print_record(record); },
      [](const Projection& projection) {
        return as_atom(projection.whole.front()) + "." + projection.field;
      },
      [](const Indexing& indexing) {
        return as_atom(indexing.array.front()) + "[" + joined(indexing.indices) + "]";
      },
      [](const Let& let) { return print_let(let); });
}

}  // namespace dagaz::script
