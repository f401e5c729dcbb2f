#include "codegen/bounded_exponentials.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include "codegen/vector_functions.h"

namespace dagaz::codegen {

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
  bool changed = false;
  for (const auto& [call, scalar_name] : vector_calls(function)) {
    if (scalar_name != "exp") continue;
    bound(call);
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace dagaz::codegen
