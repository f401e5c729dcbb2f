// Checking what was saved of a program with syntax errors.
#pragma once

#include <vector>

#include "support/diagnostic.h"
#include "support/source.h"
#include "syntax/parse.h"

namespace dagaz::check {

/// The errors of `found` that are there whatever the declarations with syntax errors were to say:
/// others may only follow from these.
std::vector<Diagnostic> independent_errors(const Diagnostics& found,
                                           const syntax::Recovery& recovery,
                                           const SourceFiles& files);

}  // namespace dagaz::check
