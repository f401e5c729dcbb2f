// Emission: flat array IR → imperative code for one target.
//
// How operations run is said by their schedules (plan/), where arrays lie by memory/.  Here an
// array has a place: a block, an offset and strides, all variables of the generated code, and a
// view is arithmetic on places.
#pragma once

#include <optional>

#include "emit/code/tree.h"
#include "ir/program.h"
#include "plan/settings.h"
#include "support/diagnostic.h"

namespace dagaz::emit {

/// CPU: outer segments become ParallelFor, inner ones loops.  GPU targets: grid-level operations
/// become kernels; cuda and sim get the same code.  Reports `unsupported` and returns nothing for
/// what no rule covers.
std::optional<Program> lower(ir::PlannedProgram program, const plan::Settings& settings,
                             Target target, Diagnostics& diagnostics);

}  // namespace dagaz::emit
