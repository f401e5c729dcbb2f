// Emission: flat array IR → imperative code for one target.
//
// How operations run is said by their schedules (plan/), where arrays lie by memory/.  Here an
// array has a place: a block, an offset and strides, all variables of the generated code, and a
// view is arithmetic on places.
#pragma once

#include <optional>

#include "emit/code/tree.h"
#include "ir/program.h"
#include "support/diagnostic.h"

namespace dagaz::emit {

/// Outer segments become ParallelFor, inner ones loops; or they become kernels, as the program's
/// settings have it.  `target` is only handed on: cuda and sim get the same code.  Reports
/// `unsupported` and returns nothing for what no rule covers.
std::optional<Program> lower(ir::PlannedProgram program, Target target, Diagnostics& diagnostics);

}  // namespace dagaz::emit
