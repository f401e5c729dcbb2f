// Sine, cosine and tangent for kernels.
#pragma once

#include "codegen/function_frame.h"

namespace dagaz::codegen {

/// `real f(real)` for sin, cos or tan of f32 or f64; built on first use.
llvm::Function* circular_function(PartModule& part, ScalarOp op, ScalarType type);

}  // namespace dagaz::codegen
