// What a tree leaves out of its text: comments, the tokens themselves and the parentheses around
// phrases.  Parsing keeps it where it is asked to, for the tools that write programs.
#pragma once

#include <unordered_map>
#include <vector>

#include "support/source.h"

namespace dagaz::syntax {

struct Trivia {
  /// One for each line of a comment, from its `--` to the end of the line.  Those of
  /// documentation are here too.
  std::vector<Range> comments;
  /// In order.  Documentation is none; what follows a mistake may be missing.
  std::vector<Range> tokens;
  /// For a node that stands in parentheses, its ranges inside of them, the innermost first.  The
  /// range of the node itself covers all of them.
  std::unordered_map<const void*, std::vector<Range>> parentheses;
};

}  // namespace dagaz::syntax
