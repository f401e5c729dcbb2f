// Calls of collective operations between ranks (ir/ranks.h), in code of the host.
#pragma once

#include "codegen/function_frame.h"

namespace dagaz::codegen {

/// Whether kernels may have had too little memory for arrays of their threads, which is known on
/// the rank that has run them alone: then ranks agree before they meet.
enum class Arena { suffices, may_lack };

/// `place` is text that says where the program has it.
void emit_rank_call(FunctionFrame& emitter, const tree::Call& call, llvm::Value* context,
                    llvm::Value* place, Arena arena);

}  // namespace dagaz::codegen
