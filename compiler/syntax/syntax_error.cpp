// The parser's message for an unexpected token: what was found, and what could stand there in
// the words of a user, so that thirty tokens that begin an expression are "an expression".
#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <vector>

#include "syntax/foreign_functions.h"
#include "syntax/parse_context.h"

namespace dagaz::syntax {

namespace {

using Kind = Parser::symbol_kind;
using KindSet = std::vector<Parser::symbol_kind_type>;

bool contains(const KindSet& set, Parser::symbol_kind_type kind) {
  return std::find(set.begin(), set.end(), kind) != set.end();
}

// A kind of phrase, recognised by some tokens that together only begin it.
struct Phrase {
  std::string_view name;
  std::vector<Parser::symbol_kind_type> signs;
  std::vector<Parser::symbol_kind_type> starts;
};

const std::vector<Phrase>& phrases() {
  using enum Kind::symbol_kind_type;
  static const std::vector<Phrase> table{
      {"an expression",
       {S_IF, S_LET, S_IDENTIFIER},
       {S_IF, S_LET, S_LOOP, S_MATCH, S_ASSERT, S_TRUE, S_FALSE, S_PARENTHESIS, S_BRACKET,
        S_BRACE, S_ATTRIBUTE, S_HOLE, S_BACKSLASH, S_MINUS, S_BANG, S_IDENTIFIER,
        S_CONSTRUCTOR, S_NATURAL, S_INTEGER, S_CHARACTER, S_FLOAT, S_STRING}},
      {"an argument",
       {S_HOLE, S_IDENTIFIER, S_STRING},
       {S_TRUE, S_FALSE, S_PARENTHESIS, S_BRACKET, S_BRACE, S_HOLE, S_BACKSLASH, S_IDENTIFIER,
        S_CONSTRUCTOR, S_NATURAL, S_INTEGER, S_CHARACTER, S_FLOAT, S_STRING}},
      {"a declaration",
       {S_DEF, S_ENTRY},
       {S_DEF, S_LET, S_ENTRY, S_LOCAL, S_OPEN, S_IMPORT, S_TYPE, S_MODULE, S_ATTRIBUTE,
        S_DOCUMENTATION}},
      {"a specification",
       {S_VAL, S_INCLUDE},
       {S_VAL, S_INCLUDE, S_TYPE, S_MODULE, S_ATTRIBUTE, S_DOCUMENTATION}},
      {"a pattern",
       {S_UNDERSCORE, S_IDENTIFIER, S_NATURAL},
       {S_UNDERSCORE, S_IDENTIFIER, S_PARENTHESIS, S_BRACE, S_TRUE, S_FALSE, S_CONSTRUCTOR,
        S_NATURAL, S_INTEGER, S_CHARACTER, S_FLOAT, S_MINUS, S_ATTRIBUTE}},
      {"a type",
       {S_STAR, S_IDENTIFIER, S_CONSTRUCTOR, S_BRACKET},
       {S_STAR, S_IDENTIFIER, S_CONSTRUCTOR, S_BRACKET, S_INDEX_BRACKET, S_PARENTHESIS, S_BRACE,
        S_QUESTION_MARK}},
      {"an operator",
       {S_OPERATOR, S_STAR, S_LESS},
       {S_OPERATOR, S_STAR, S_LESS, S_HAT, S_BAR, S_MINUS, S_BANG, S_BACKTICK,
        S_DOTTED_OPERATOR, S_WITH, S_TWO_DOTS, S_THREE_DOTS, S_DOTS_LESS, S_DOTS_GREATER,
        S_INDEX_BRACKET, S_DOT, S_COLON, S_COERCE}},
      {"a type parameter",
       {S_APOSTROPHE, S_APOSTROPHE_HAT},
       {S_APOSTROPHE, S_APOSTROPHE_HAT, S_APOSTROPHE_TILDE, S_BRACKET, S_INDEX_BRACKET}},
  };
  return table;
}

std::string token_name(Parser::symbol_kind_type kind) {
  using enum Kind::symbol_kind_type;
  switch (kind) {
    case S_IDENTIFIER: return "a name";
    case S_CONSTRUCTOR: return "a constructor";
    case S_OPERATOR: return "an operator";
    case S_DOTTED_OPERATOR: return "a broadcast operator";
    case S_NATURAL: return "a number";
    case S_INTEGER: return "an integer";
    case S_CHARACTER: return "a character";
    case S_FLOAT: return "a real number";
    case S_STRING: return "a string";
    case S_DOCUMENTATION: return "a documentation comment";
    case S_INDEX_BRACKET: return "'['";
    case S_YYEOF: return "the end of the file";
    default: return "'" + std::string(Parser::symbol_name(kind)) + "'";
  }
}

std::vector<std::string> describe(KindSet expected) {
  std::vector<std::string> words;
  for (const Phrase& phrase : phrases()) {
    const bool present = std::all_of(phrase.signs.begin(), phrase.signs.end(),
                                     [&](auto sign) { return contains(expected, sign); });
    if (!present) continue;
    words.emplace_back(phrase.name);
    std::erase_if(expected, [&](auto kind) { return contains(phrase.starts, kind); });
  }
  for (const auto kind : expected) {
    const std::string name = token_name(kind);
    if (std::find(words.begin(), words.end(), name) == words.end()) words.push_back(name);
  }
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

// `fun x -> e`: the last such word before the arrow, in its line, becomes a backslash.
void hint_at_function(Diagnostic& d, const Range& arrow, const SourceFiles& sources) {
  const std::string_view text = sources.file(arrow.file).text().substr(0, arrow.begin);
  const std::size_t line = text.rfind('\n') == std::string_view::npos ? 0 : text.rfind('\n') + 1;
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t end = text.size(); end > line; --end) {
    if (!is_letter(text[end - 1]) || (end < text.size() && is_letter(text[end]))) continue;
    std::size_t begin = end;
    while (begin > line && is_letter(text[begin - 1])) --begin;
    if (!begins_function_elsewhere(text.substr(begin, end - begin))) continue;
    while (end < text.size() && text[end] == ' ') ++end;
    const Range word{arrow.file, static_cast<std::uint32_t>(begin),
                     static_cast<std::uint32_t>(end)};
    d.hints.emplace_back(lambda_hint, std::vector<Edit>{{word, "\\"}}, Applicability::certain);
    return;
  }
}

}  // namespace

void Parser::report_syntax_error(const Parser::context& found) const {
  KindSet expected(YYNTOKENS);
  const int count = found.expected_tokens(expected.data(), YYNTOKENS);
  expected.resize(static_cast<std::size_t>(count));

  const symbol_kind_type kind = found.token();
  const std::optional<Range> unclosed = input.lexer.unclosed_bracket();
  // The ends of what began before an earlier mistake.
  const bool ends = kind == symbol_kind::S_CLOSE_BRACE || kind == symbol_kind::S_IN;
  if (input.resumed && ends && !unclosed) return;
  const Range range =
      kind == symbol_kind::S_YYEOF ? input.lexer.before_token() : found.location();
  std::string message;
  if (kind == symbol_kind::S_YYEOF) {
    message = "Unexpected end of file";
  } else if (kind == symbol_kind::S_DOCUMENTATION) {
    message = "Documentation comments (`-- |`) are only permitted before declarations";
  } else {
    message = "Unexpected token: '" + std::string(input.sources.text(range)) + "'";
  }
  const bool declares = kind == symbol_kind::S_DEF || kind == symbol_kind::S_TYPE ||
                        kind == symbol_kind::S_MODULE || kind == symbol_kind::S_ENTRY;
  if (declares && contains(expected, symbol_kind::S_IN)) {
    message = "Unexpected \"" + std::string(input.sources.text(range)) + "\" - missing \"in\"?";
  } else if (const auto words = describe(expected);
             !words.empty() && kind != symbol_kind::S_DOCUMENTATION) {
    message += "; expected " + joined(words);
  }
  if (kind == symbol_kind::S_BANG && !contains(expected, symbol_kind::S_BANG)) {
    message = "`!` is a prefix operator and cannot be used as infix operator";
  }
  Diagnostic& reported =
      input.diagnostics.report(DiagnosticKind::syntax, range, std::move(message));
  const bool ends_phrase = declares || kind == symbol_kind::S_YYEOF;
  if (ends_phrase && contains(expected, symbol_kind::S_ELSE)) {
    reported.hints.emplace_back("an `if` always has an `else`, as its value is used");
  } else if (!declares && contains(expected, symbol_kind::S_IN)) {
    reported.hints.emplace_back("a `let` is followed by `in` and the result, or by another `let`");
  }
  if (input.sources.text(range) == "=" && contains(expected, symbol_kind::S_THEN)) {
    reported.hints.emplace_back("values are compared by `==`",
                                std::vector<Edit>{{range, "=="}}, Applicability::certain);
  }
  if (input.sources.text(range) == "->") hint_at_function(reported, range, input.sources);
  if (unclosed) reported.labels.push_back({*unclosed, "this is not closed"});
}

void Parser::error(const location_type& range, const std::string& message) {
  input.diagnostics.report(DiagnosticKind::syntax, range, message);
}

}  // namespace dagaz::syntax
