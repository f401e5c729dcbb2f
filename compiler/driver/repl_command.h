// dagaz repl [FILE]: evaluate what is typed.
#pragma once

#include "driver/options.h"

namespace dagaz::driver {

struct ReplOptions {
  CompileOptions compile;  // `file` may be empty
};

/// Returns the exit status, as the commands of commands.h do.
int repl_command(const ReplOptions& options);

}  // namespace dagaz::driver
