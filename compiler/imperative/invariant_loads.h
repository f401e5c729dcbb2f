// Which loads of kernels are from memory that the kernel does not write.
#pragma once

#include "imperative/code/tree.h"

namespace dagaz::imperative {

/// Sets Load::invariant in kernels.
void mark_invariant_loads(Program& program);

}  // namespace dagaz::imperative
