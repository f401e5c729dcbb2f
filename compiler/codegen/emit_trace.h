// Calls of traces.  On the host the runtime gets the leaves and prints them; a kernel writes them
// into the buffer of runtime/abi.h, which the host prints when it next waits.
#pragma once

#include <string>
#include <vector>

#include "codegen/function_frame.h"

namespace dagaz::codegen {

/// The traces of a program, by name, in the order of dz_program.traces.
std::vector<std::string> traces_of(const tree::Program& program);

/// Prints; the status of that.
llvm::Value* emit_trace(FunctionFrame& emitter, const tree::Call& call, llvm::Value* context);
/// Leaves a record, if there is room for it.
void emit_kernel_trace(FunctionFrame& emitter, const tree::Call& call, llvm::Value* failure_word);

}  // namespace dagaz::codegen
