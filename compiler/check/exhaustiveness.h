// Whether the cases of a match cover every value, and whether a pattern that must always match
// does.  Runs on typed definitions without errors.
#pragma once

#include "support/diagnostic.h"
#include "support/name_table.h"
#include "syntax/ast.h"

namespace dagaz::check {

/// Checks every match, let, loop and parameter of one definition.
void check_exhaustiveness(const ast::Function& function, const NameTable& names,
                          Diagnostics& diagnostics);

}  // namespace dagaz::check
