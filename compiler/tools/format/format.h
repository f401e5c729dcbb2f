// Programs in the common layout.  The author decides what stands on one line: a phrase written on
// one stays on one, a phrase written on several gets the layout for several, whatever its width.
// Only spaces, line ends, commas before closing brackets, the `in` between two `let`s and the
// keyword of top-level `let`s change; comments are kept.
#pragma once

#include <optional>
#include <string>

#include "support/diagnostic.h"
#include "support/source.h"

namespace dagaz::tools {

/// The text of `file` in the common layout; nothing if it is no program, which is reported.
std::optional<std::string> format(FileId file, SourceFiles& sources, Diagnostics& diagnostics);

}  // namespace dagaz::tools
