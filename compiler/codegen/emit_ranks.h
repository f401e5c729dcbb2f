// Calls of collective operations between ranks (ir/ranks.h), in code of the host.
#pragma once

#include "codegen/function_frame.h"

namespace dagaz::codegen {

void emit_rank_call(FunctionFrame& emitter, const tree::Call& call, llvm::Value* context);

}  // namespace dagaz::codegen
