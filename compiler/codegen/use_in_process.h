// Several runs of a program that is compiled once, into this process.
#pragma once

#include <functional>

#include "codegen/codegen.h"

namespace dagaz::codegen {

/// Runs the program as run_in_process does: arguments as of main; returns the exit status.
using Run = std::function<int(int argc, char** argv)>;

/// Compiles `program` and gives what `use` makes of it.  It is there for as long as `use` is.
int use_in_process(const tree::Program& program, const SourceFiles& files,
                   const Options& options, const std::function<int(const Run&)>& use);

}  // namespace dagaz::codegen
