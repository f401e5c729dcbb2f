// Tells the user of loops that `#[unroll]` was written for in vain.
#pragma once

#include "ir/program.h"
#include "support/diagnostic.h"

namespace dagaz::driver {

/// Warns of each loop of the simplified program that should have been unrolled.
void warn_of_rolled_loops(const ir::Program& program, Diagnostics& diagnostics);

}  // namespace dagaz::driver
