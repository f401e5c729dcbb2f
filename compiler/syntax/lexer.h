// Text → tokens.  The tokens themselves are declared by the grammar (parser.yy); the automaton is
// generated from lexer.re.  A mistake in a token is reported here, and the parser then stops
// without a message of its own.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "support/diagnostic.h"
#include "support/name_table.h"
#include "support/source.h"
#include "syntax/parser.h"
#include "syntax/trivia.h"

namespace dagaz::syntax {

/// What the parser is asked to read; decides the first token that the lexer hands out.
enum class Goal { file, expression, type };

/// What is read in the place of a part of the text with a mistake: nothing, or a value that is
/// left open (`= ???`).
struct Repair {
  enum class Kind { leave_out, open_value };
  Kind kind;
  std::size_t begin;  // of a token
  std::size_t end;
};

/// The bytes that are read, and repairs in them in order.
struct Extent {
  std::size_t begin = 0;
  std::size_t end = static_cast<std::size_t>(-1);
  std::vector<Repair> repairs = {};
};

class Lexer {
 public:
  /// `text` must be followed by a zero byte, as the text of a SourceFile is.
  /// Comments and tokens go to `trivia` unless it is null.
  Lexer(FileId file, std::string_view text, Extent extent, Goal goal, NameTable& names,
        Diagnostics& diagnostics, Trivia* trivia);

  Parser::symbol_type next();
  /// Where the token handed out last begins.
  std::size_t token_begin() const { return static_cast<std::size_t>(token_ - begin_); }
  /// The innermost open bracket that the token handed out last cannot stand in: it ends a
  /// larger phrase, or closes a bracket of another kind.
  std::optional<Range> unclosed_bracket() const;
  /// The place behind the token before that one.
  Range before_token() const { return {file_, before_token_, before_token_}; }

 private:
  using Byte = unsigned char;
  using Kind = Parser::symbol_kind_type;
  struct Bracket {
    Kind closing;
    Range range;
  };

  Range range() const;
  std::string_view token_text() const;
  ast::Name name_from(std::size_t skip) const;
  ast::QualifiedName qualified_operator() const;
  void note_bracket(Kind kind);
  Parser::symbol_type next_of_extent();
  Parser::symbol_type scan();
  Parser::symbol_type opening();
  Parser::symbol_type integer();
  Parser::symbol_type real();
  Parser::symbol_type character();
  Parser::symbol_type string();
  Parser::symbol_type documentation();
  void note_comments() const;
  Parser::symbol_type invalid(std::string message);
  /// Whether the byte before the token makes a `[` an index (`a[`), not an array (`f [`).
  bool follows_operand() const;
  bool follows_dot() const { return token_ > begin_ && token_[-1] == '.'; }

  FileId file_;
  Extent extent_;
  std::size_t next_repair_ = 0;
  bool value_is_open_ = false;             // the `=` was handed out, `???` is next
  const Byte* begin_;
  const Byte* limit_;
  const Byte* cursor_;
  const Byte* marker_ = nullptr;
  const Byte* token_;
  NameTable& names_;
  Diagnostics& diagnostics_;
  Trivia* trivia_;
  Goal goal_;
  bool started_ = false;
  std::uint32_t before_token_ = 0;
  std::vector<Bracket> brackets_;          // those open
  Kind last_ = Parser::symbol_kind::S_YYEMPTY;  // the token handed out last
  bool closes_ = false;                    // whether that one closes a bracket
};

}  // namespace dagaz::syntax
