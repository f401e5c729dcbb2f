// Calls of collective operations between ranks (ir/ranks.h), in code of the host.
#pragma once

#include "codegen/function_frame.h"

namespace dagaz::codegen {

/// `place` is text that says where the program has it.
void emit_rank_call(FunctionFrame& emitter, const tree::Call& call, llvm::Value* context,
                    llvm::Value* place);

}  // namespace dagaz::codegen
