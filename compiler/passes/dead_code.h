// Dead-code elimination on one function: what other passes call to clean up after themselves.
#pragma once

#include "ir/program.h"

namespace dagaz::passes {

/// Removes from `function` everything whose value is never used: statements, results of branches,
/// loops and second-order operations, and the parameters that only those needed; whether there was
/// any.
bool eliminate_dead_code(ir::Function& function, const ir::Names& names);

}  // namespace dagaz::passes
