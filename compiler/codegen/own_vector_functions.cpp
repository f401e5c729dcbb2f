#include "codegen/own_vector_functions.h"

#include "codegen/single_formulas.h"
#include "codegen/vector_functions.h"

#include <llvm/IR/Instructions.h>
#include <llvm/MC/MCSubtargetInfo.h>

namespace dagaz::codegen {

namespace {

using SingleFormula = llvm::Value* (SingleFormulas::*)(llvm::Value* x);

/// Null for other functions.
SingleFormula formula_of(llvm::StringRef scalar_name) {
  if (scalar_name == "expf") return &SingleFormulas::exponential;
  if (scalar_name == "logf") return &SingleFormulas::logarithm;
  if (scalar_name == "tanhf") return &SingleFormulas::hyperbolic_tangent;
  return nullptr;
}

}  // namespace

bool has_own_vector_functions(const llvm::TargetMachine& machine) {
  return machine.getTargetTriple().isX86() &&
         machine.getMCSubtargetInfo()->checkFeatures("+fma");
}

llvm::PreservedAnalyses OwnVectorFunctions::run(llvm::Function& function,
                                                llvm::FunctionAnalysisManager&) {
  bool changed = false;
  for (const auto& [call, scalar_name] : vector_calls(function)) {
    const SingleFormula formula = formula_of(scalar_name);
    if (formula == nullptr) continue;
    const llvm::StringRef name = call->getCalledFunction()->getName();
    llvm::IRBuilder<> builder(call);
    SingleFormulas formulas(builder, call->getType(),
                            name.starts_with("_ZGVeN16") ? SingleFormulas::Side::avx512
                                                         : SingleFormulas::Side::host);
    call->replaceAllUsesWith((formulas.*formula)(call->getArgOperand(0)));
    call->eraseFromParent();
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace dagaz::codegen
