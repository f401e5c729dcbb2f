// The textual form of the IR, in: for tests and for `dagaz inspect --passes=… FILE.ir`.
#pragma once

#include <optional>

#include "ir/program.h"
#include "support/diagnostic.h"

namespace dagaz::ir {

/// Reads a whole program; reports the first mistake and gives nothing.
std::optional<Program> parse(FileId file, const SourceFiles& files, Diagnostics& diagnostics);

}  // namespace dagaz::ir
