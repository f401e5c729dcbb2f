// One text → tree.  Every function reports what is wrong and returns what it has (or null).
#pragma once

#include "support/diagnostic.h"
#include "support/name_table.h"
#include "support/source.h"
#include "syntax/ast.h"
#include "syntax/trivia.h"

namespace dagaz::syntax {

struct ParseInput {
  const SourceFiles& sources;
  ast::Arena& arena;
  NameTable& names;
  Diagnostics& diagnostics;
  Trivia* trivia = nullptr;  // filled unless null
};

/// The declarations of a file; after an error there are none.
ast::File parse_file(FileId file, const ParseInput& input);

/// The file as one expression, or null after an error.
ast::Exp* parse_expression(FileId file, const ParseInput& input);

/// The file as one type, as in `[3]i32`, or null after an error.
ast::TypeExp* parse_type(FileId file, const ParseInput& input);

}  // namespace dagaz::syntax
