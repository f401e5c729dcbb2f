// The C library's exponentials of vectors of f64 leave their vectors for what is below all numbers:
// scores under a mask, and probabilities of zero.  No argument is that small where these have the
// power 0.
#pragma once

#include <llvm/IR/PassManager.h>

namespace dagaz::codegen {

/// After vectorisation, which makes the calls.
struct BoundedExponentials : llvm::PassInfoMixin<BoundedExponentials> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace dagaz::codegen
