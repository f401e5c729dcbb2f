// A pass of ours inside LLVM's pipeline, just before vectorisation: lets reductions with the
// smaller or larger of two floats be vectorised.
#pragma once

#include <llvm/IR/PassManager.h>

namespace dagaz::codegen {

/// LLVM reorders `accumulator := maxnum(accumulator, x)` only when no NaN can occur.  Where the
/// accumulator starts as a number, a NaN among the x never wins, so x may as well be replaced by
/// the neutral infinity when it is one; then no NaN occurs.
///   max(a, x)  =  max(a, if x is NaN then -∞ else x)     for a that is a number
/// Only operations marked as associative by the program (reassoc) are touched.
class ExtremumReductions : public llvm::PassInfoMixin<ExtremumReductions> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace dagaz::codegen
