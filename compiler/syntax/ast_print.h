// The tree as text that looks like the source and parses to the same tree: layout, comments and
// needless parentheses are lost, and `let x[i] = v` appears as the `with` that it stands for.
#pragma once

#include <string>

#include "support/name_table.h"
#include "syntax/ast.h"

namespace dagaz::ast {

std::string print(const File& file, const NameTable& names);
std::string print(const Declaration& declaration, const NameTable& names);
std::string print(const Exp& exp, const NameTable& names);
std::string print(const Pattern& pattern, const NameTable& names);
std::string print(const TypeExp& type, const NameTable& names);

}  // namespace dagaz::ast
