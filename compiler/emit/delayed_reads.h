// Host code waits for the device as late and as seldom as it can.
#pragma once

#include "emit/code/tree.h"

namespace dagaz::emit {

/// Moves each ReadElement of host code to where its value is needed, so that those that are
/// needed at one place stand side by side: codegen makes one of such reads.
void delay_reads(Program& program);

}  // namespace dagaz::emit
