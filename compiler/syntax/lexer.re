// The tokens of the language.  Two of them depend on the byte before: `[` is an index when it
// touches the operand before it, and `.+` is a broadcast operator when it does not.
#include "syntax/lexer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "syntax/literals.h"

namespace dagaz::syntax {

Lexer::Lexer(FileId file, std::string_view text, Extent extent, Goal goal, NameTable& names,
             Diagnostics& diagnostics, Trivia* trivia)
    : file_(file),
      extent_(std::move(extent)),
      begin_(reinterpret_cast<const Byte*>(text.data())),
      limit_(begin_ + text.size()),
      cursor_(begin_ + extent_.begin),
      token_(begin_ + extent_.begin),
      names_(names),
      diagnostics_(diagnostics),
      trivia_(trivia),
      goal_(goal),
      before_token_(static_cast<std::uint32_t>(extent_.begin)) {
  // Some editors begin a file with a byte order mark.
  if (extent_.begin == 0 && text.starts_with("\xef\xbb\xbf")) cursor_ += 3;
}

Parser::symbol_type Lexer::next() {
  before_token_ = static_cast<std::uint32_t>(cursor_ - begin_);
  if (started_) {
    Parser::symbol_type token = next_of_extent();
    note_bracket(token.kind());
    const bool is_token = token.kind() != Kind::S_YYEOF && token.kind() != Kind::S_DOCUMENTATION;
    if (trivia_ != nullptr && is_token) trivia_->tokens.push_back(range());
    return token;
  }
  started_ = true;
  switch (goal_) {
    case Goal::file: return Parser::make_START_FILE(range());
    case Goal::expression: return Parser::make_START_EXPRESSION(range());
    case Goal::type: return Parser::make_START_TYPE(range());
  }
  return scan();
}

// The next token of the text as it is after repairs.
Parser::symbol_type Lexer::next_of_extent() {
  if (value_is_open_) {
    value_is_open_ = false;
    return Parser::make_HOLE(range());
  }
  for (;;) {
    Parser::symbol_type token = scan();
    const bool repairs = next_repair_ < extent_.repairs.size() &&
                         token_begin() >= extent_.repairs[next_repair_].begin;
    if (!repairs) {
      if (token_begin() < extent_.end) return token;
      token_ = cursor_ = begin_ + std::min(extent_.end, static_cast<std::size_t>(limit_ - begin_));
      return Parser::make_YYEOF(range());
    }
    const Repair& repair = extent_.repairs[next_repair_++];
    cursor_ = begin_ + repair.end;
    if (repair.kind == Repair::Kind::open_value) {
      value_is_open_ = true;
      token_ = cursor_;
      return Parser::make_EQUALS(range());
    }
  }
}

void Lexer::note_bracket(Kind kind) {
  using enum Kind;
  last_ = kind;
  closes_ = !brackets_.empty() && brackets_.back().closing == kind;
  if (closes_) {
    brackets_.pop_back();
  } else if (kind == S_PARENTHESIS) {
    brackets_.push_back({S_CLOSE_PARENTHESIS, range()});
  } else if (kind == S_BRACKET || kind == S_INDEX_BRACKET || kind == S_ATTRIBUTE) {
    brackets_.push_back({S_CLOSE_BRACKET, range()});
  } else if (kind == S_BRACE) {
    brackets_.push_back({S_CLOSE_BRACE, range()});
  }
}

std::optional<Range> Lexer::unclosed_bracket() const {
  using enum Kind;
  if (brackets_.empty() || closes_) return std::nullopt;
  const Bracket& innermost = brackets_.back();
  switch (last_) {
    case S_DEF:
    case S_ENTRY:
    case S_TYPE:
    case S_MODULE:
    case S_OPEN:
    case S_LOCAL:
      if (innermost.closing == S_CLOSE_BRACE) return std::nullopt;
      return innermost.range;
    case S_YYEOF:
    case S_CLOSE_PARENTHESIS:
    case S_CLOSE_BRACKET:
    case S_CLOSE_BRACE: return innermost.range;
    default: return std::nullopt;
  }
}

Range Lexer::range() const {
  return {file_, static_cast<std::uint32_t>(token_ - begin_),
          static_cast<std::uint32_t>(cursor_ - begin_)};
}

std::string_view Lexer::token_text() const {
  return {reinterpret_cast<const char*>(token_), static_cast<std::size_t>(cursor_ - token_)};
}

ast::Name Lexer::name_from(std::size_t skip) const {
  return {names_.intern(token_text().substr(skip)), range()};
}

ast::QualifiedName Lexer::qualified_operator() const {
  ast::QualifiedName result;
  std::string_view rest = token_text();
  const Range whole = range();
  std::uint32_t position = whole.begin;
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  while (is_letter(rest.front())) {
    const std::size_t dot = rest.find('.');
    const auto end = position + static_cast<std::uint32_t>(dot);
    result.qualifiers.push_back({names_.intern(rest.substr(0, dot)), {file_, position, end}});
    rest.remove_prefix(dot + 1);
    position = end + 1;
  }
  result.name = {names_.intern(rest), {file_, position, whole.end}};
  result.range = whole;
  return result;
}

bool Lexer::follows_operand() const {
  if (token_ == begin_) return false;
  const Byte c = token_[-1];
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         c == '_' || c == '\'' || c == ')' || c == ']';
}

Parser::symbol_type Lexer::invalid(std::string message) {
  diagnostics_.report(DiagnosticKind::syntax, range(), std::move(message));
  return Parser::make_YYerror(range());
}

/// `text` is one character of UTF-8, or a byte of something else.
static std::string unknown_character_message(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const bool is_text = text.size() > 1 || first < 0x80;
  if (is_text && first >= 0x20 && first != 0x7f) {
    return "the character `" + std::string(text) + "` has no meaning here";
  }
  constexpr std::string_view digits = "0123456789abcdef";
  const std::string number{'0', 'x', digits[first >> 4], digits[first & 15]};
  if (is_text) return "the control character " + number + " has no meaning here";
  return "the byte " + number + " is not UTF-8 text, as programs must be";
}

Parser::symbol_type Lexer::opening() {
  return follows_operand() ? Parser::make_INDEX_BRACKET(range()) : Parser::make_BRACKET(range());
}

Parser::symbol_type Lexer::integer() {
  return Parser::make_INTEGER(integer_value(token_text()), range());
}

Parser::symbol_type Lexer::real() {
  if (follows_dot()) {
    // In `x.0.1` the digits are field names.
    cursor_ = token_;
    while ((*cursor_ >= '0' && *cursor_ <= '9') || *cursor_ == '_') ++cursor_;
    return Parser::make_NATURAL({name_from(0), integer_value(token_text())}, range());
  }
  return Parser::make_FLOAT(real_value(token_text()), range());
}

Parser::symbol_type Lexer::character() {
  std::string_view inside = token_text();
  inside = inside.substr(1, inside.size() - 2);
  const std::optional<std::string> bytes = unescape(inside);
  const std::optional<std::uint32_t> code = bytes ? single_code_point(*bytes) : std::nullopt;
  if (!code) return invalid("this is not a character");
  return Parser::make_CHARACTER({*code, ast::LiteralSuffix::none}, range());
}

Parser::symbol_type Lexer::string() {
  std::string_view inside = token_text();
  inside = inside.substr(1, inside.size() - 2);
  std::optional<std::string> bytes = unescape(inside);
  if (!bytes) return invalid("this string has an unknown escape or is not valid UTF-8");
  return Parser::make_STRING(std::move(*bytes), range());
}

// The token is one line of a comment, or several of documentation.
void Lexer::note_comments() const {
  if (trivia_ == nullptr) return;
  const std::string_view text = token_text();
  const std::uint32_t base = range().begin;
  for (std::size_t line = 0; line < text.size();) {
    const std::size_t begin = text.find("--", line);
    const std::size_t end = std::min(text.find('\n', line), text.size());
    trivia_->comments.push_back({file_, base + static_cast<std::uint32_t>(begin),
                                 base + static_cast<std::uint32_t>(end)});
    line = end + 1;
  }
}

// The text without the comment marks: `-- | a` and `-- b` become "a\nb".
Parser::symbol_type Lexer::documentation() {
  std::string text;
  std::string_view rest = token_text().substr(4);
  for (bool first = true;; first = false) {
    if (!first) {
      rest.remove_prefix(rest.find("--") + 2);
      text += '\n';
    }
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    if (line.starts_with(' ')) line.remove_prefix(1);
    // What a line ends in cannot be seen.
    const std::size_t last = line.find_last_not_of(" \t\r\f\v");
    line = line.substr(0, last == std::string_view::npos ? 0 : last + 1);
    text += line;
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return Parser::make_DOCUMENTATION(std::move(text), range());
}

Parser::symbol_type Lexer::scan() {
  for (;;) {
    token_ = cursor_;
    /*!re2c
      re2c:define:YYCTYPE = Byte;
      re2c:define:YYCURSOR = cursor_;
      re2c:define:YYMARKER = marker_;
      re2c:define:YYLIMIT = limit_;
      re2c:yyfill:enable = 0;
      re2c:eof = 0;
      re2c:indent:string = "  ";

      line = [^\n\x00]*;
      blank = [ \t\f\v];
      digits = [0-9][0-9_]*;
      hex = '0x' [0-9a-fA-F][0-9a-fA-F_]*;
      binary = '0b' [01][01_]*;
      roman = '0r' [IVXLCDM][IVXLCDM_]*;
      exponent = [eE][+-]?[0-9]+;
      real = digits ("." digits)? exponent?;
      hex_real = hex "." [0-9a-fA-F][0-9a-fA-F_]* [pP][+-]?[0-9_]+;
      integer_suffix = "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64";
      real_suffix = "f16" | "f32" | "f64";
      constituent = [a-zA-Z0-9_'];
      identifier = [a-zA-Z] constituent* | "_" [a-zA-Z0-9] constituent*;
      operator_start = [-+*/%=!><|&^];
      operator_char = [-+*/%=!><|&^.];
      operator = operator_start operator_char*;
      escape = "\\" ([^\x00-\x1f] | [0-9]+);
      multibyte = [\xc2-\xf4][\x80-\xbf]+;
      character_inside = [^'\\\x00-\x1f\x7f-\xff] | multibyte | escape;
      string_inside = ([^"\\\x00-\x1f] | escape)*;

      $ { return Parser::make_YYEOF(range()); }
      [ \t\f\v\n\r]+ { continue; }
      "-- |" line ("\n" blank* "--" line)* {
        note_comments();
        return documentation();
      }
      "--" line {
        note_comments();
        continue;
      }

      "if" { return Parser::make_IF(range()); }
      "then" { return Parser::make_THEN(range()); }
      "else" { return Parser::make_ELSE(range()); }
      "def" { return Parser::make_DEF(range()); }
      "let" { return Parser::make_LET(range()); }
      "loop" { return Parser::make_LOOP(range()); }
      "in" { return Parser::make_IN(range()); }
      "val" { return Parser::make_VAL(range()); }
      "for" { return Parser::make_FOR(range()); }
      "do" { return Parser::make_DO(range()); }
      "with" { return Parser::make_WITH(range()); }
      "local" { return Parser::make_LOCAL(range()); }
      "open" { return Parser::make_OPEN(range()); }
      "include" { return Parser::make_INCLUDE(range()); }
      "import" { return Parser::make_IMPORT(range()); }
      "type" { return Parser::make_TYPE(range()); }
      "entry" { return Parser::make_ENTRY(range()); }
      "module" { return Parser::make_MODULE(range()); }
      "while" { return Parser::make_WHILE(range()); }
      "assert" { return Parser::make_ASSERT(range()); }
      "match" { return Parser::make_MATCH(range()); }
      "case" { return Parser::make_CASE(range()); }
      "true" { return Parser::make_TRUE(range()); }
      "false" { return Parser::make_FALSE(range()); }

      "(" { return Parser::make_PARENTHESIS(range()); }
      ")" { return Parser::make_CLOSE_PARENTHESIS(range()); }
      "[" { return opening(); }
      "]" { return Parser::make_CLOSE_BRACKET(range()); }
      "{" { return Parser::make_BRACE(range()); }
      "}" { return Parser::make_CLOSE_BRACE(range()); }
      "#[" { return Parser::make_ATTRIBUTE(range()); }
      "," { return Parser::make_COMMA(range()); }
      "_" { return Parser::make_UNDERSCORE(range()); }
      "?" { return Parser::make_QUESTION_MARK(range()); }
      "???" { return Parser::make_HOLE(range()); }
      "->" { return Parser::make_ARROW(range()); }
      ":" { return Parser::make_COLON(range()); }
      ":>" { return Parser::make_COERCE(range()); }
      "\\" { return Parser::make_BACKSLASH(range()); }
      "~" { return Parser::make_TILDE(range()); }
      "'" { return Parser::make_APOSTROPHE(range()); }
      "'^" { return Parser::make_APOSTROPHE_HAT(range()); }
      "'~" { return Parser::make_APOSTROPHE_TILDE(range()); }
      "`" { return Parser::make_BACKTICK(range()); }
      "." { return Parser::make_DOT(range()); }
      ".." { return Parser::make_TWO_DOTS(range()); }
      "..." { return Parser::make_THREE_DOTS(range()); }
      "..<" { return Parser::make_DOTS_LESS(range()); }
      "..>" { return Parser::make_DOTS_GREATER(range()); }
      "=" { return Parser::make_EQUALS(range()); }
      "!" { return Parser::make_BANG(range()); }
      "-" { return Parser::make_MINUS(range()); }
      "*" { return Parser::make_STAR(range()); }
      "<" { return Parser::make_LESS(range()); }
      "^" { return Parser::make_HAT(range()); }
      "|" { return Parser::make_BAR(range()); }

      (digits | hex | binary | roman) integer_suffix { return integer(); }
      hex | binary | roman { return integer(); }
      digits {
        return Parser::make_NATURAL({name_from(0), integer_value(token_text())}, range());
      }
      real real_suffix? { return real(); }
      hex_real real_suffix? { return Parser::make_FLOAT(real_value(token_text()), range()); }
      "'" character_inside "'" { return character(); }
      "\"" string_inside "\"" { return string(); }
      "\"" string_inside { return invalid("this string is not closed on its line"); }

      identifier { return Parser::make_IDENTIFIER(name_from(0), range()); }
      "#" identifier { return Parser::make_CONSTRUCTOR(name_from(1), range()); }
      operator | (identifier ".")+ operator {
        return Parser::make_OPERATOR(qualified_operator(), range());
      }
      "." operator {
        if (!follows_operand()) return Parser::make_DOTTED_OPERATOR(name_from(1), range());
        cursor_ = token_ + 1;
        return Parser::make_DOT(range());
      }
      [\xc2-\xf4][\x80-\xbf]+ | [^] {
        return invalid(unknown_character_message(token_text()));
      }
    */
  }
}

}  // namespace dagaz::syntax
