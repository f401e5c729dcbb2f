// Host code waits for the device as late and as seldom as it can.
#pragma once

#include "emit/context/context.h"

namespace dagaz::emit {

/// Moves each ReadElement of host code to where the host needs its value, so that those that are
/// needed at one place stand side by side: codegen makes one of such reads.  Kernels load what only
/// they need; `kernels` names those that do.
void delay_reads(Program& program, Kernels& kernels);

}  // namespace dagaz::emit
