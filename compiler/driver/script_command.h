// dagaz script: expressions over the entry points of a program.
#pragma once

#include <string>
#include <vector>

#include "driver/options.h"

namespace dagaz::driver {

/// An expression, or the file that it is in.
struct ScriptSource {
  std::string text;
  bool is_file = false;
};

struct ScriptOptions {
  CompileOptions compile;
  std::vector<ScriptSource> sources;  // evaluated in this order; the value of the last is printed
  bool binary = false;
  bool verbose = false;
  std::vector<std::string> program_arguments;
};

int script_command(const ScriptOptions& options);

}  // namespace dagaz::driver
