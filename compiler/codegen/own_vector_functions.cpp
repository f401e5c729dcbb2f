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

/// The C library's exponential of f64 leaves its vectors for what is below all numbers: scores
/// under a mask, and probabilities of zero.
bool is_exponential(llvm::StringRef name) {
  return name.starts_with("_ZGV") && name.ends_with("v_exp");
}

/// The same call where no argument is that small; these have the power 0.
void call_within_bounds(llvm::CallInst* call) {
  constexpr double zero_from = -746;
  llvm::IRBuilder<> builder(call);
  llvm::Value* x = call->getArgOperand(0);
  llvm::Value* zero = llvm::Constant::getNullValue(call->getType());
  llvm::Value* small =
      builder.CreateFCmpOLT(x, llvm::ConstantFP::get(call->getType(), zero_from));
  call->setArgOperand(0, builder.CreateSelect(small, zero, x));
  builder.SetInsertPoint(call->getNextNode());
  auto* result = llvm::cast<llvm::Instruction>(builder.CreateSelect(small, zero, call));
  call->replaceUsesWithIf(result, [&](llvm::Use& use) { return use.getUser() != result; });
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
    const llvm::StringRef name = call->getCalledFunction()->getName();
    if (formula_of(name) != nullptr || is_exponential(name)) calls.push_back(call);
  }
  for (llvm::CallInst* call : calls) {
    const SingleFormula formula = formula_of(call->getCalledFunction()->getName());
    if (formula == nullptr) {
      call_within_bounds(call);
      continue;
    }
    llvm::IRBuilder<> builder(call);
    SingleFormulas formulas(builder, call->getType(), SingleFormulas::Side::host);
    call->replaceAllUsesWith((formulas.*formula)(call->getArgOperand(0)));
    call->eraseFromParent();
  }
  return calls.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

}  // namespace dagaz::codegen
