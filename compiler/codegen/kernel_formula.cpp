#include "codegen/kernel_formula.h"

#include "codegen/scalar_operations.h"

namespace dagaz::codegen {

using llvm::Intrinsic::ID;
using llvm::Value;

namespace {

Term intrinsic(ID id, const std::vector<Term>& arguments) {
  std::vector<Value*> values;
  for (const Term& argument : arguments) values.push_back(argument.value);
  const Term& first = arguments[0];
  return first.with(first.builder->CreateIntrinsic(id, {first.type()}, values));
}

}  // namespace

Term Term::like(double number) const {
  if (is_real()) return with(llvm::ConstantFP::get(type(), number));
  return with(llvm::ConstantInt::getSigned(type(), static_cast<std::int64_t>(number)));
}

Term operator+(Term a, Term b) {
  return a.with(a.is_real() ? a.builder->CreateFAdd(a.value, b.value)
                            : a.builder->CreateAdd(a.value, b.value));
}

Term operator-(Term a, Term b) {
  return a.with(a.is_real() ? a.builder->CreateFSub(a.value, b.value)
                            : a.builder->CreateSub(a.value, b.value));
}

Term operator*(Term a, Term b) {
  return a.with(a.is_real() ? a.builder->CreateFMul(a.value, b.value)
                            : a.builder->CreateMul(a.value, b.value));
}

Term operator/(Term a, Term b) { return a.with(a.builder->CreateFDiv(a.value, b.value)); }

Term operator-(Term a) {
  return a.with(a.is_real() ? a.builder->CreateFNeg(a.value) : a.builder->CreateNeg(a.value));
}

Term less(Term a, Term b) { return a.with(a.builder->CreateFCmpOLT(a.value, b.value)); }

Term equal(Term a, Term b) { return a.with(a.builder->CreateFCmpOEQ(a.value, b.value)); }

Term where(Term condition, Term yes, Term no) {
  return yes.with(yes.builder->CreateSelect(condition.value, yes.value, no.value));
}

Term fma(Term a, Term b, Term c) { return intrinsic(llvm::Intrinsic::fma, {a, b, c}); }

Term rounded_product(Term a, Term b) { return fma(a, b, a.like(0)); }

Term magnitude(Term a) { return intrinsic(llvm::Intrinsic::fabs, {a}); }

Term with_sign(Term a, Term sign) { return intrinsic(llvm::Intrinsic::copysign, {a, sign}); }

Term rounded(Term a) { return intrinsic(llvm::Intrinsic::rint, {a}); }

Term truncated(Term a) { return intrinsic(llvm::Intrinsic::trunc, {a}); }

Term polynomial(Term x, std::span<const double> coefficients) {
  Term result = x.like(coefficients.back());
  for (std::size_t i = coefficients.size() - 1; i-- > 0;) {
    result = fma(result, x, x.like(coefficients[i]));
  }
  return result;
}

Term bits(Term a) {
  llvm::Type* integer = a.builder->getIntNTy(a.type()->getScalarSizeInBits());
  return a.with(a.builder->CreateBitCast(a.value, integer));
}

Term real_of_bits(Term a, llvm::Type* type) {
  return a.with(a.builder->CreateBitCast(a.value, type));
}

Pair exact_sum(Term a, Term b) {
  const Term sum = a + b;
  const Term part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

Pair quick_sum(Term a, Term b) {
  const Term sum = a + b;
  return {sum, b - (sum - a)};
}

Pair exact_product(Term a, Term b) {
  const Term product = rounded_product(a, b);
  return {product, fma(a, b, -product)};
}

Term KernelFormula::math(ScalarOp op, const std::vector<Term>& arguments) {
  std::vector<Value*> values;
  for (const Term& argument : arguments) values.push_back(argument.value);
  return term(scalar_operation(frame_, op, ScalarType::f64, ScalarType::f64, values));
}

Term KernelFormula::call(llvm::Function* function, const std::vector<Term>& arguments) {
  std::vector<Value*> values;
  for (const Term& argument : arguments) values.push_back(argument.value);
  return term(b().CreateCall(function, values));
}

std::pair<llvm::BasicBlock*, llvm::BasicBlock*> KernelFormula::branch(Term condition) {
  llvm::BasicBlock* yes = block();
  llvm::BasicBlock* no = block();
  b().CreateCondBr(condition.value, yes, no);
  return {yes, no};
}

void KernelFormula::give(const std::vector<Term>& results) {
  std::vector<Value*> values;
  for (const Term& result : results) values.push_back(result.value);
  b().CreateAggregateRet(values.data(), static_cast<unsigned>(values.size()));
}

void comes(Term choice, Term value, llvm::BasicBlock* block) {
  llvm::cast<llvm::PHINode>(choice.value)->addIncoming(value.value, block);
}

FoundFunction find_function(PartModule& part, const std::string& name, llvm::Type* result,
                            const std::vector<llvm::Type*>& parameters) {
  if (llvm::Function* known = part.module.getFunction(name)) return {known, true};
  auto* type = llvm::FunctionType::get(result, parameters, false);
  auto* function = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, part.module);
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  return {function, false};
}

}  // namespace dagaz::codegen
