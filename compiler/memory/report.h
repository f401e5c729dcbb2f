// Where a program's arrays lie, as text: what `inspect --stage=memory` prints.
#pragma once

#include <string>

#include "ir/program.h"

namespace dagaz::memory {

/// For each entry point, a line for every array, in order of execution: its type, its home, the
/// size of its block, and the statement with which that dies.
std::string report(const ir::PlannedProgram& program);

}  // namespace dagaz::memory
