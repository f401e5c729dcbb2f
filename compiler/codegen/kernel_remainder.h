// The remainder of a division of reals, for kernels.
#pragma once

#include "codegen/function_frame.h"

namespace dagaz::codegen {

/// `real f(real x, real y)` for x - y trunc(x/y) of f32 or f64, exact; built on first use.
llvm::Function* remainder_function(PartModule& part, ScalarType type);

}  // namespace dagaz::codegen
