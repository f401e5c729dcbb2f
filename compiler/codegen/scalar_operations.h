// Scalar operations as instructions and calls, of scalars and of vectors with a value for each
// lane.
#pragma once

#include <vector>

#include "codegen/function_frame.h"

namespace dagaz::codegen {

/// With the semantics of ir::evaluate; of vectors of `lanes`, for operations that work on vectors
/// as they do on scalars.
llvm::Value* scalar_operation(FunctionFrame& frame, ScalarOp op, ScalarType type, ScalarType result,
                              const std::vector<llvm::Value*>& arguments, unsigned lanes = 0);
/// A function of reals (emit_math.cpp).
llvm::Value* real_function(FunctionFrame& frame, ScalarOp op, ScalarType type,
                           const std::vector<llvm::Value*>& arguments);
/// The C library's name of a function of reals, for f64; null if it has none.
const char* library_function(ScalarOp op);

/// The `count` lanes of a vector from `begin` on.
llvm::Value* part_of(llvm::IRBuilder<>& builder, llvm::Value* vector, unsigned begin,
                     unsigned count);
/// The value in each of `lanes`; a scalar for none.
llvm::Value* splat(FunctionFrame& frame, llvm::Value* value, unsigned lanes);
/// Any scalar operation on vectors of `lanes`, in one instruction where there is one
/// (lane_operations.cpp).
llvm::Value* lane_operation(FunctionFrame& frame, ScalarOp op, ScalarType type, ScalarType result,
                            std::vector<llvm::Value*> arguments, unsigned lanes);

}  // namespace dagaz::codegen
