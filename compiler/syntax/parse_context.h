// What the parser, its lexer and the tree builder share while one text is read.
#pragma once

#include <cstddef>

#include "syntax/lexer.h"
#include "syntax/tree_builder.h"

namespace dagaz::syntax {

/// How deep the parser's stack may be.  It bounds the depth of the tree, apart from let chains,
/// `else if` chains and rows of operators, and so the recursion of everyone who walks it.
inline constexpr std::size_t nesting_limit = 4000;

struct ParseContext {
  Lexer& lexer;
  TreeBuilder& builder;
  Diagnostics& diagnostics;
  const SourceFiles& sources;
  /// Whether a mistake before the text at hand has been reported.
  bool resumed = false;
  // The result, by goal.
  ast::File file = {};
  ast::Exp* expression = nullptr;
  ast::TypeExp* type = nullptr;
};

}  // namespace dagaz::syntax
