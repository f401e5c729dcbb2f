// The gamma function and the logarithm of its magnitude, for kernels.
#pragma once

#include "codegen/function_frame.h"

namespace dagaz::codegen {

/// `double f(double)` for gamma or lgamma; built on first use.
llvm::Function* gamma_function(PartModule& part, ScalarOp op);

}  // namespace dagaz::codegen
