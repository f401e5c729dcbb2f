// Lowering: flat array IR → imperative code for one target.
//
// Where arrays lie is decided here, in an environment from array names to places (a block, an
// offset and strides, all variables of the generated code), and not in a stage of the IR of its
// own: views, in-place updates, results written straight to their destination and the moment of
// release all fall out of the one walk that emits the code, with nothing to keep in step.
#pragma once

#include <optional>

#include "imperative/tree.h"
#include "ir/program.h"
#include "support/diagnostic.h"

namespace dagaz::imperative {

/// CPU: outer segments become ParallelFor, inner ones loops.  GPU targets: grid-level operations
/// become kernels; cuda and sim get the same code.  Reports `unsupported` and returns nothing for
/// what no rule covers.
std::optional<Program> lower(ir::PlannedProgram program, Target target, Diagnostics& diagnostics);

}  // namespace dagaz::imperative
