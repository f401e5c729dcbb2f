// Similar names as hints of diagnostics.
#pragma once

#include "support/diagnostic.h"
#include "support/spelling.h"

namespace dagaz {

/// Says which names are near to the unknown one at `range`; a single one can take its place.
void suggest_spelling(Diagnostic& diagnostic, const Range& range, const Spelling& spelling);

}  // namespace dagaz
