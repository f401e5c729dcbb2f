// Circular functions of πx reduce x exactly, so that multiples of a half come out exactly.
// Digamma and trigamma move their argument up by their recurrence to where the asymptotic series
// is accurate to the last digits, and use reflection for negative arguments.  Same formulas as
// ir/special_functions.cpp, which says what the values must be.
#include "codegen/special_functions.h"

#include <llvm/IR/Intrinsics.h>

#include "codegen/scalar_operations.h"
#include "support/check.h"

namespace dagaz::codegen {

using llvm::Value;

namespace {

constexpr double pi = 3.14159265358979323846;
/// From here on the series are good to the last digits.
constexpr double series_start = 12;

/// Arithmetic on doubles inside one function of one parameter.
class Formula {
 public:
  Formula(PartModule& part, llvm::Function* function)
      : frame_(part, function, Side::task), b_(frame_.builder()) {
    b_.SetInsertPoint(llvm::BasicBlock::Create(part.context, "", function));
  }

  Value* sine_of_pi(Value* x);
  Value* cosine_of_pi(Value* x);
  Value* digamma(Value* x);
  Value* trigamma(Value* x);
  void give(Value* result) { b_.CreateRet(result); }
  Value* call(ScalarOp op, Value* x) {
    return b_.CreateCall(special_function(frame_.part(), op), {x});
  }
  Value* divide(Value* x, Value* y) { return b_.CreateFDiv(x, y); }

 private:
  using Step = Value* (Formula::*)(Value* x);

  Value* number(double value) { return llvm::ConstantFP::get(b_.getDoubleTy(), value); }
  Value* math(ScalarOp op, Value* x) { return scalar_operation(frame_, op, f64, f64, {x}); }
  Value* where(Value* condition, Value* yes, Value* no) {
    return b_.CreateSelect(condition, yes, no);
  }
  Value* less(Value* x, double bound) { return b_.CreateFCmpOLT(x, number(bound)); }
  Value* more(Value* x, double bound) { return b_.CreateFCmpOGT(x, number(bound)); }
  Value* minus(double a, Value* b) { return b_.CreateFSub(number(a), b); }
  Value* times(double a, Value* b) { return b_.CreateFMul(number(a), b); }
  Value* inverse(Value* x) { return b_.CreateFDiv(number(1), x); }
  Value* is_pole(Value* x) {
    Value* whole = b_.CreateFCmpOEQ(math(ScalarOp::floor, x), x);
    return b_.CreateAnd(b_.CreateFCmpOLE(x, number(0)), whole);
  }
  /// x mod 2, exact, in (-2, 2); NaN for infinities.
  Value* modulo_two(Value* x) {
    Value* halves = math(ScalarOp::trunc, times(0.5, x));
    return b_.CreateFSub(x, times(2, halves));
  }
  /// x moved to at least series_start, and the sum of `term` over the places passed.
  std::pair<Value*, Value*> climb(Value* x, Step term);
  Value* inverse_square(Value* x) { return inverse(b_.CreateFMul(x, x)); }
  Value* reciprocal(Value* x) { return inverse(x); }
  /// c₀ - y (c₁ - y (c₂ - …))
  Value* alternating(Value* y, const std::vector<double>& coefficients);
  Value* digamma_above_zero(Value* x);
  Value* trigamma_above_zero(Value* x);

  static constexpr ScalarType f64 = ScalarType::f64;
  FunctionFrame frame_;
  llvm::IRBuilder<>& b_;
};

Value* Formula::sine_of_pi(Value* x) {
  Value* r = modulo_two(x);
  // Into [-½, ½], where sin(πr) is accurate; integers become exactly zero.
  r = where(more(r, 1), b_.CreateFSub(r, number(2)), r);
  r = where(less(r, -1), b_.CreateFAdd(r, number(2)), r);
  r = where(more(r, 0.5), minus(1, r), r);
  r = where(less(r, -0.5), minus(-1, r), r);
  Value* zero = b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, number(0), x);
  return where(b_.CreateFCmpOEQ(r, number(0)), zero, math(ScalarOp::sin, times(pi, r)));
}

Value* Formula::cosine_of_pi(Value* x) {
  Value* r = math(ScalarOp::fabs, modulo_two(x));
  r = where(more(r, 1), minus(2, r), r);
  // Now r is in [0, 1]; near 0 and 1 by the cosine, between by the sine of the complement.
  Value* near_zero = math(ScalarOp::cos, times(pi, where(less(r, 0.25), r, number(0))));
  Value* rest = minus(0.5, where(less(r, 0.25), number(0), r));
  return where(less(r, 0.25), near_zero, math(ScalarOp::sin, times(pi, rest)));
}

std::pair<Value*, Value*> Formula::climb(Value* x, Step term) {
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* test = frame_.block("climb");
  llvm::BasicBlock* step = frame_.block("climb.step");
  llvm::BasicBlock* after = frame_.block("climb.done");
  b_.CreateBr(test);
  b_.SetInsertPoint(test);
  llvm::PHINode* place = b_.CreatePHI(b_.getDoubleTy(), 2);
  llvm::PHINode* sum = b_.CreatePHI(b_.getDoubleTy(), 2);
  b_.CreateCondBr(less(place, series_start), step, after);
  b_.SetInsertPoint(step);
  Value* next_sum = b_.CreateFAdd(sum, (this->*term)(place));
  Value* next_place = b_.CreateFAdd(place, number(1));
  b_.CreateBr(test);
  place->addIncoming(x, before);
  place->addIncoming(next_place, step);
  sum->addIncoming(number(0), before);
  sum->addIncoming(next_sum, step);
  b_.SetInsertPoint(after);
  return {place, sum};
}

Value* Formula::alternating(Value* y, const std::vector<double>& coefficients) {
  Value* result = number(coefficients.back());
  for (std::size_t i = coefficients.size() - 1; i-- > 0;) {
    result = minus(coefficients[i], b_.CreateFMul(y, result));
  }
  return result;
}

/// log x - 1/2x - Σ B₂ₖ / (2k x²ᵏ), after ψ(x) = ψ(x+1) - 1/x.
Value* Formula::digamma_above_zero(Value* x) {
  const auto [place, sum] = climb(x, &Formula::reciprocal);
  Value* y = inverse_square(place);
  Value* series = b_.CreateFMul(
      y, alternating(y, {1.0 / 12, 1.0 / 120, 1.0 / 252, 1.0 / 240, 1.0 / 132, 691.0 / 32760,
                         1.0 / 12}));
  Value* result = b_.CreateFSub(math(ScalarOp::log, place), sum);
  result = b_.CreateFSub(result, b_.CreateFDiv(number(0.5), place));
  return b_.CreateFSub(result, series);
}

/// ψ(x) = ψ(1-x) - π / tan(πx) below zero.
Value* Formula::digamma(Value* x) {
  Value* negative = less(x, 0);
  Value* result = digamma_above_zero(where(negative, minus(1, x), x));
  Value* reflected =
      b_.CreateFSub(result, b_.CreateFDiv(number(pi), call(ScalarOp::tanpi, x)));
  Value* not_a_number = llvm::ConstantFP::getNaN(b_.getDoubleTy());
  return where(is_pole(x), not_a_number, where(negative, reflected, result));
}

/// 1/x + 1/2x² + Σ B₂ₖ / x²ᵏ⁺¹, after ψ'(x) = ψ'(x+1) + 1/x².
Value* Formula::trigamma_above_zero(Value* x) {
  const auto [place, sum] = climb(x, &Formula::inverse_square);
  Value* y = inverse_square(place);
  Value* series = alternating(
      y, {1.0 / 6, 1.0 / 30, 1.0 / 42, 1.0 / 30, 5.0 / 66, 691.0 / 2730, 7.0 / 6});
  Value* result = b_.CreateFAdd(sum, inverse(place));
  result = b_.CreateFAdd(result, times(0.5, y));
  return b_.CreateFAdd(result, b_.CreateFMul(b_.CreateFDiv(y, place), series));
}

/// ψ'(x) = π² / sin²(πx) - ψ'(1-x) below zero.
Value* Formula::trigamma(Value* x) {
  Value* negative = less(x, 0);
  Value* result = trigamma_above_zero(where(negative, minus(1, x), x));
  Value* sine = call(ScalarOp::sinpi, x);
  Value* reflected =
      b_.CreateFSub(b_.CreateFDiv(number(pi * pi), b_.CreateFMul(sine, sine)), result);
  Value* infinity = llvm::ConstantFP::getInfinity(b_.getDoubleTy());
  return where(is_pole(x), infinity, where(negative, reflected, result));
}

void build(Formula& formula, ScalarOp op, Value* x) {
  switch (op) {
    case ScalarOp::sinpi: return formula.give(formula.sine_of_pi(x));
    case ScalarOp::cospi: return formula.give(formula.cosine_of_pi(x));
    case ScalarOp::tanpi:
      return formula.give(formula.divide(formula.call(ScalarOp::sinpi, x),
                                         formula.call(ScalarOp::cospi, x)));
    case ScalarOp::digamma: return formula.give(formula.digamma(x));
    case ScalarOp::trigamma: return formula.give(formula.trigamma(x));
    default: DZ_UNREACHABLE("not a special function");
  }
}

}  // namespace

llvm::Function* special_function(PartModule& part, ScalarOp op) {
  const std::string name = "dz." + std::string(ir::name_of(op));
  if (llvm::Function* known = part.module.getFunction(name)) return known;
  llvm::Type* real = llvm::Type::getDoubleTy(part.context);
  auto* type = llvm::FunctionType::get(real, {real}, false);
  auto* function =
      llvm::Function::Create(type, llvm::Function::InternalLinkage, name, part.module);
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  Formula formula(part, function);
  build(formula, op, function->getArg(0));
  return function;
}

}  // namespace dagaz::codegen
