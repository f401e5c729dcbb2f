// Which loads of kernels are from memory that the kernel does not write.
#pragma once

#include "emit/code/tree.h"

namespace dagaz::emit {

/// Sets Load::invariant in kernels.
void mark_invariant_loads(Program& program);

}  // namespace dagaz::emit
