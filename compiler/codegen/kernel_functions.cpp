#include "codegen/kernel_functions.h"

#include "codegen/kernel_formula.h"
#include "codegen/kernel_gamma.h"
#include "codegen/kernel_remainder.h"
#include "codegen/kernel_trigonometry.h"
#include "codegen/single_formulas.h"

namespace dagaz::codegen {

namespace {

FoundFunction find_single(PartModule& part, ScalarOp op) {
  llvm::Type* real = llvm::Type::getFloatTy(part.context);
  return find_function(part, "dz." + std::string(ir::name_of(op)) + ".f32", real, {real});
}

llvm::Function* short_function(PartModule& part, ScalarOp op) {
  const auto [function, known] = find_single(part, op);
  if (known) return function;
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(part.context, "", function));
  SingleFormulas formulas(builder, llvm::Type::getFloatTy(part.context),
                          part.ptx ? SingleFormulas::Side::ptx : SingleFormulas::Side::host);
  llvm::Value* x = function->getArg(0);
  builder.CreateRet(op == ScalarOp::exp   ? formulas.exponential(x)
                    : op == ScalarOp::log ? formulas.logarithm(x)
                                          : formulas.hyperbolic_tangent(x));
  return function;
}

/// Of f32, by the function of f64.
llvm::Function* rounded_function(PartModule& part, ScalarOp op) {
  const auto [function, known] = find_single(part, op);
  if (known) return function;
  KernelFormula formula(part, function);
  const Term x = formula.parameter(0);
  formula.give(formula.narrowed(formula.math(op, {formula.widened(x)}), x.type()));
  return function;
}

}  // namespace

llvm::Function* kernel_function(PartModule& part, ScalarOp op, ScalarType type) {
  const bool single = type == ScalarType::f32;
  switch (op) {
    case ScalarOp::exp:
    case ScalarOp::log:
    case ScalarOp::tanh: return single ? short_function(part, op) : nullptr;
    case ScalarOp::sin:
    case ScalarOp::cos:
    case ScalarOp::tan: return circular_function(part, op, type);
    case ScalarOp::fmod: return remainder_function(part, type);
    case ScalarOp::gamma:
    case ScalarOp::lgamma:
      return single ? rounded_function(part, op) : gamma_function(part, op);
    // libclc's of f64 is right.
    case ScalarOp::erfc: return single ? rounded_function(part, op) : nullptr;
    default: return nullptr;
  }
}

}  // namespace dagaz::codegen
