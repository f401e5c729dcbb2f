// Where each size of each function comes from, as text.
#pragma once

#include <string>

#include "support/diagnostic.h"
#include "support/name_table.h"
#include "support/source.h"
#include "syntax/ast.h"

namespace dagaz::check {

/// Checks `program` and says of each function of its last file that has no mistake what its type
/// is, what tells its size parameters, and which expressions compute sizes that are not known
/// before.
std::string check_and_explain_sizes(ast::Program& program, const SourceFiles& files,
                                    NameTable& names, Diagnostics& diagnostics);

}  // namespace dagaz::check
