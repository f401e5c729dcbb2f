// Numbers that a program has for a CPU and for a GPU.
#pragma once

#include "passes/passes.h"

namespace dagaz::passes {

/// Takes those for such a target (ir/by_device.h).
bool choose_by_device(ir::ParallelProgram& program, FlattenTarget target);

}  // namespace dagaz::passes
