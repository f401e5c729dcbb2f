// Maps, scans and reductions over a few elements become straight-line code.
#pragma once

#include "passes/passes.h"
#include "passes/scalarise/small_arrays.h"

namespace dagaz::passes::scalarising {

/// Unrolls what is worth it in the function; whether there was anything.
bool unroll(Function& function, Program& program, FlattenTarget target, const Tunables& tunables);

}  // namespace dagaz::passes::scalarising
