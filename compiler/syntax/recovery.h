// The declarations of a file with mistakes.
#pragma once

#include <optional>

#include "syntax/lexer.h"
#include "syntax/parse.h"

namespace dagaz::syntax {

struct Outcome {
  ast::File file;
  ast::Exp* expression = nullptr;
  ast::TypeExp* type = nullptr;
  /// After a mistake: where the token lies that could not be used.
  std::optional<std::size_t> stopped_at = {};
  bool complete = false;  // without a mistake
};

/// Parses a part of the text up to the first mistake in the order of tokens.
Outcome parse_extent(const Extent& extent, FileId file, Goal goal, const ParseInput& input);

/// All declarations that can be made sense of.  Reports nothing: the mistakes have been reported.
ast::File recover(FileId file, const ParseInput& input);

}  // namespace dagaz::syntax
