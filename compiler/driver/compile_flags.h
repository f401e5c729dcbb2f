// Compile options as arguments of a command line, for commands that build programs by another
// process.
#pragma once

#include <string>
#include <vector>

#include "driver/options.h"

namespace dagaz::driver {

/// What makes `dagaz build` compile as `options` say; without the file.
std::vector<std::string> compile_flags(const CompileOptions& options);

}  // namespace dagaz::driver
