// Finds the phi of an accumulator, its operation in the loop, and its start.
#include "codegen/extremum_reductions.h"

#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace dagaz::codegen {

namespace {

bool is_extremum(const llvm::IntrinsicInst& operation) {
  const auto id = operation.getIntrinsicID();
  return id == llvm::Intrinsic::maxnum || id == llvm::Intrinsic::minnum;
}

/// Known to be one, as an extremum is where one of two values is.
bool is_number(const llvm::Value* value) {
  if (const auto* operation = llvm::dyn_cast<llvm::IntrinsicInst>(value)) {
    return is_extremum(*operation) &&
           (is_number(operation->getArgOperand(0)) || is_number(operation->getArgOperand(1)));
  }
  const auto* constant = llvm::dyn_cast<llvm::ConstantFP>(value);
  return constant != nullptr && !constant->isNaN();
}

/// Whether `value` is an accumulator that starts as a number and becomes `operation` each time.
bool is_accumulator_of(const llvm::Value* value, const llvm::IntrinsicInst& operation) {
  const auto* phi = llvm::dyn_cast<llvm::PHINode>(value);
  if (phi == nullptr || phi->getNumIncomingValues() != 2) return false;
  const llvm::Value* first = phi->getIncomingValue(0);
  const llvm::Value* second = phi->getIncomingValue(1);
  return (first == &operation && is_number(second)) || (second == &operation && is_number(first));
}

/// The index of the operand that is no accumulator, or -1 when this is no such reduction.
int reduced_operand(const llvm::IntrinsicInst& operation) {
  if (!is_extremum(operation) || !operation.hasAllowReassoc()) return -1;
  if (is_accumulator_of(operation.getArgOperand(0), operation)) return 1;
  if (is_accumulator_of(operation.getArgOperand(1), operation)) return 0;
  return -1;
}

}  // namespace

llvm::PreservedAnalyses ExtremumReductions::run(llvm::Function& function,
                                                llvm::FunctionAnalysisManager&) {
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* operation = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (operation == nullptr) continue;
    const int reduced = reduced_operand(*operation);
    if (reduced < 0) continue;
    const auto index = static_cast<unsigned>(reduced);
    llvm::IRBuilder<> builder(operation);
    llvm::Value* given = operation->getArgOperand(index);
    const bool maximum = operation->getIntrinsicID() == llvm::Intrinsic::maxnum;
    llvm::Value* neutral = llvm::ConstantFP::getInfinity(given->getType(), maximum);
    llvm::Value* missing = builder.CreateFCmpUNO(given, given);
    operation->setArgOperand(index, builder.CreateSelect(missing, neutral, given));
    operation->setHasNoNaNs(true);
    operation->setHasNoSignedZeros(true);
    changed = true;
  }
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

}  // namespace dagaz::codegen
