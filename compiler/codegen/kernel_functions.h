// Exponential, logarithm and hyperbolic tangent of f32 for kernels, by our own formulas: libclc's
// take several times as many instructions.  sim uses them too, so that they are tested where there
// is no GPU.
#pragma once

#include "codegen/function_frame.h"

namespace dagaz::codegen {

/// `float f(float)` for `op`, built on first use; null when there is none.
llvm::Function* kernel_function(PartModule& part, ScalarOp op);

}  // namespace dagaz::codegen
