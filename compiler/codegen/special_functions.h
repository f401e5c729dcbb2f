// Functions of reals that no C library has, built as LLVM functions of the module that uses them:
// sine, cosine and tangent of πx, digamma and trigamma.
#pragma once

#include "codegen/function_frame.h"

namespace dagaz::codegen {

/// `double f(double)` for sinpi, cospi, tanpi, digamma or trigamma; built on first use.
llvm::Function* special_function(PartModule& part, ScalarOp op);

}  // namespace dagaz::codegen
