// Functions of reals for kernels by our own formulas: those that libclc gets wrong, and those for
// which it takes several times as many instructions.  sim uses them too, so that they are tested
// where there is no GPU.
#pragma once

#include "codegen/function_frame.h"

namespace dagaz::codegen {

/// The function for `op` of f32 or f64, built on first use; null when there is none.
llvm::Function* kernel_function(PartModule& part, ScalarOp op, ScalarType type);

}  // namespace dagaz::codegen
