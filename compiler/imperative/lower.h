// Lowering: array IR with memory → imperative code for one target.
#pragma once

#include "imperative/imperative.h"
#include "ir/program.h"

namespace dagaz::imperative {

/// CPU: outer segments become ParallelFor, inner ones loops.  GPU targets: grid-level operations
/// become kernels; cuda and sim get the same code.
Program lower(ir::MemoryProgram program, Target target);

}  // namespace dagaz::imperative
