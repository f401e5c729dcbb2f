// The tree as text that looks like the source and parses to the same tree: layout, comments and
// needless parentheses are lost, and `let x[i] = v` appears as the `with` that it stands for.
#pragma once

#include <functional>
#include <string>

#include "support/name_table.h"
#include "syntax/ast.h"

namespace dagaz::ast {

std::string print(const File& file, const NameTable& names);
std::string print(const Declaration& declaration, const NameTable& names);
std::string print(const Exp& exp, const NameTable& names);
std::string print(const Pattern& pattern, const NameTable& names);
std::string print(const TypeExp& type, const NameTable& names);

/// What was inferred, as text, to be printed with the program.
struct Notes {
  /// The type of a name or of `_` in a pattern.
  std::function<std::string(const check::Type*)> type;
  /// The type of a defined function or constant; it stands in a comment before it.
  std::function<std::string(const check::Scheme*)> scheme;
};
std::string print(const File& file, const NameTable& names, const Notes& notes);

}  // namespace dagaz::ast
