// One text → tree.  Every function reports what is wrong and returns what it has (or null).
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/diagnostic.h"
#include "support/name_table.h"
#include "support/source.h"
#include "syntax/ast.h"
#include "syntax/trivia.h"

namespace dagaz::syntax {

/// What became of declarations with mistakes.
struct Recovery {
  /// Those that are left out, or stand for no more than their heads.
  std::vector<Range> damaged;
  /// The words of those left out: names that may be missing elsewhere.
  std::set<std::string, std::less<>> lost_words;
};

struct ParseInput {
  const SourceFiles& sources;
  ast::Arena& arena;
  NameTable& names;
  Diagnostics& diagnostics;
  Trivia* trivia = nullptr;      // filled unless null
  Recovery* recovery = nullptr;  // likewise
};

/// The declarations of a file.  After an error there are none or, where recovery is asked for,
/// those without mistakes, and the heads of others with `???` as their value.
ast::File parse_file(FileId file, const ParseInput& input);

/// Where the line at or after `from` begins that begins a declaration.
std::optional<std::size_t> next_declaration(std::string_view text, std::size_t from);

/// All tokens and comments of the file, whatever mistakes it has.
Trivia scan(FileId file, const SourceFiles& sources, NameTable& names);

/// The file as one expression, or null after an error.
ast::Exp* parse_expression(FileId file, const ParseInput& input);

/// The file as one type, as in `[3]i32`, or null after an error.
ast::TypeExp* parse_type(FileId file, const ParseInput& input);

}  // namespace dagaz::syntax
