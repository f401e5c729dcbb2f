// Short loops whose iterations may fail by what they read, like a gather that checks its indices.
#pragma once

#include "codegen/tunables.h"
#include "tree/tree.h"

namespace dagaz::codegen {

/// How many iterations of `loop`, if it is long, are best written out as one; 1: LLVM knows.
unsigned iterations_together(const tree::For& loop, const Tunables& tunables);

}  // namespace dagaz::codegen
