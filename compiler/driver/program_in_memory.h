// A program that is compiled once into this process and whose entry points are called many times,
// as scripts and literate programs do.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "driver/options.h"
#include "ir/program.h"

namespace dagaz::driver {

/// How a call ended.
struct CallResult {
  int status = 0;      // as of a program's exit; 128 + signal number
  std::string output;  // the results in the binary format
  std::string errors;
};

struct ProgramInMemory {
  ir::Program interface;  // its entry points and their types only
  /// Calls an entry point with arguments in the text or the binary format, in a process of its
  /// own: a failure of the program leaves this one as it is.
  std::function<CallResult(const std::string& entry, const std::string& input)> call;
};

/// Compiles the program of `options`, with `program_arguments` for each call, and gives what `use`
/// makes of it; 1 after printing the mistakes of a program that has some.
int with_program(const CompileOptions& options, const std::vector<std::string>& program_arguments,
                 const std::function<int(const ProgramInMemory&)>& use);

}  // namespace dagaz::driver
