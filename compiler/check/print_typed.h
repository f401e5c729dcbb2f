// A program with the types and sizes that the checker infers, as text.
#pragma once

#include <string>

#include "support/diagnostic.h"
#include "support/name_table.h"
#include "syntax/ast.h"

namespace dagaz::check {

/// Checks `program` and prints its last file: before each definition its type, and behind each name
/// in a pattern the type that it has.  Empty after errors.
std::string check_and_print(ast::Program& program, NameTable& names, Diagnostics& diagnostics);

}  // namespace dagaz::check
