// Scripts whose functions are those of a program in memory.
#pragma once

#include <filesystem>

#include "driver/program_in_memory.h"
#include "script/evaluate.h"

namespace dagaz::driver {

/// Files that scripts name are looked for in `folder`.  With `verbose`, what the program says on
/// standard error is printed.
script::Machine script_machine(const ProgramInMemory& program, std::filesystem::path folder,
                               bool verbose);

}  // namespace dagaz::driver
