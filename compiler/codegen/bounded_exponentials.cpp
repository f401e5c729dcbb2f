#include "codegen/bounded_exponentials.h"

#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace dagaz::codegen {

/// vector_functions.cpp says how glibc names them.
static bool is_exponential(llvm::StringRef name) {
  return name.starts_with("_ZGV") && name.ends_with("v_exp");
}

static void bound(llvm::CallInst* call) {
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

llvm::PreservedAnalyses BoundedExponentials::run(llvm::Function& function,
                                                 llvm::FunctionAnalysisManager&) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call == nullptr || call->getCalledFunction() == nullptr) continue;
    if (is_exponential(call->getCalledFunction()->getName())) calls.push_back(call);
  }
  for (llvm::CallInst* call : calls) bound(call);
  return calls.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

}  // namespace dagaz::codegen
