#include "codegen/own_vector_functions.h"

#include <vector>

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/MC/MCSubtargetInfo.h>

#include "codegen/single_formulas.h"

namespace dagaz::codegen {

namespace {

using SingleFormula = llvm::Value* (SingleFormulas::*)(llvm::Value* x);

/// Null for other functions.  vector_functions.cpp says how glibc names them.
SingleFormula formula_of(llvm::StringRef name) {
  if (!name.starts_with("_ZGV")) return nullptr;
  if (name.ends_with("v_expf")) return &SingleFormulas::exponential;
  if (name.ends_with("v_logf")) return &SingleFormulas::logarithm;
  if (name.ends_with("v_tanhf")) return &SingleFormulas::hyperbolic_tangent;
  return nullptr;
}

}  // namespace

bool has_own_vector_functions(const llvm::TargetMachine& machine) {
  return machine.getTargetTriple().isX86() &&
         machine.getMCSubtargetInfo()->checkFeatures("+fma");
}

llvm::PreservedAnalyses OwnVectorFunctions::run(llvm::Function& function,
                                                llvm::FunctionAnalysisManager&) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call == nullptr || call->getCalledFunction() == nullptr) continue;
    if (formula_of(call->getCalledFunction()->getName()) != nullptr) calls.push_back(call);
  }
  for (llvm::CallInst* call : calls) {
    const llvm::StringRef name = call->getCalledFunction()->getName();
    const SingleFormula formula = formula_of(name);
    llvm::IRBuilder<> builder(call);
    SingleFormulas formulas(builder, call->getType(),
                            name.starts_with("_ZGVeN16") ? SingleFormulas::Side::avx512
                                                         : SingleFormulas::Side::host);
    call->replaceAllUsesWith((formulas.*formula)(call->getArgOperand(0)));
    call->eraseFromParent();
  }
  return calls.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

}  // namespace dagaz::codegen
