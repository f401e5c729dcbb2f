#include "codegen/kernel_functions.h"

#include "codegen/single_formulas.h"

namespace dagaz::codegen {

llvm::Function* kernel_function(PartModule& part, ScalarOp op) {
  if (op != ScalarOp::exp && op != ScalarOp::log && op != ScalarOp::tanh) return nullptr;
  const std::string name = "dz." + std::string(ir::name_of(op)) + ".f32";
  if (llvm::Function* known = part.module.getFunction(name)) return known;
  llvm::Type* real = llvm::Type::getFloatTy(part.context);
  auto* type = llvm::FunctionType::get(real, {real}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, part.module);
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(part.context, "", function));
  SingleFormulas formulas(builder, real,
                          part.ptx ? SingleFormulas::Side::ptx : SingleFormulas::Side::host);
  llvm::Value* x = function->getArg(0);
  builder.CreateRet(op == ScalarOp::exp   ? formulas.exponential(x)
                    : op == ScalarOp::log ? formulas.logarithm(x)
                                          : formulas.hyperbolic_tangent(x));
  return function;
}

}  // namespace dagaz::codegen
