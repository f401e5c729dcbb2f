// Calls of the C library's vector functions that our own formulas (of f32) are better than: without a
// call nothing has to be saved, what stands around runs at the same time, and the error is smaller.
#pragma once

#include <llvm/IR/PassManager.h>
#include <llvm/Target/TargetMachine.h>

namespace dagaz::codegen {

/// Whether the formulas suit this processor: they need multiplication with addition.
bool has_own_vector_functions(const llvm::TargetMachine& machine);

/// Puts formulas in the place of calls.  After vectorisation, which makes the calls.
struct OwnVectorFunctions : llvm::PassInfoMixin<OwnVectorFunctions> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace dagaz::codegen
