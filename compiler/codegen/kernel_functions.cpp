// The polynomials are minimax fits (weighted least squares by Lawson's iteration) to the function
// on the interval named with each; their relative error is below 5e-9, a tenth of an f32's last
// place.
#include "codegen/kernel_functions.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

namespace dagaz::codegen {

using llvm::Value;

namespace {

/// (eᶠ - 1 - f) / f² for |f| ≤ 0.35
const std::vector<float> exp_series = {0.4999999403953552F, 0.16666515171527863F,
                                       0.04166845604777336F, 0.00836941134184599F,
                                       0.001381315873004496F};
/// (log(1+f) - f) / f² for |f| ≤ 1/3
const std::vector<float> log_series = {-0.5F,
                                       0.3333320915699005F,
                                       -0.24999716877937317F,
                                       0.20010747015476227F,
                                       -0.16682302951812744F,
                                       0.14001159369945526F,
                                       -0.12167185544967651F,
                                       0.14004762470722198F,
                                       -0.12948833405971527F};
/// (tanh x - x) / x³ as a function of x², for |x| ≤ 0.6
const std::vector<float> tanh_series = {-0.33333298563957214F, 0.13331924378871918F,
                                        -0.053783826529979706F, 0.02079596370458603F,
                                        -0.005895150359719992F};
constexpr float tanh_series_end = 0.6F;

/// Adding this to a small number rounds it to an integer and leaves that in the low bits.
constexpr float rounding_constant = 12582912.0F;  // 1.5 · 2²³
constexpr std::uint32_t rounding_bits = 0x4B400000;
/// ln 2 in two parts; the first has few bits, so that its product with a small integer is exact.
constexpr float log_two_high = 0.693145751953125F;
constexpr float log_two_low = 1.428606765330187e-6F;
/// eˣ rounds to infinity above and to zero below.
constexpr float exp_highest = 89.0F;
constexpr float exp_lowest = -104.0F;
constexpr float smallest_normal = 1.17549435e-38F;
/// Bits of 2/3: a mantissa is taken from [2/3, 4/3).
constexpr std::uint32_t two_thirds_bits = 0x3F2AAAAB;
constexpr int mantissa_bits = 23;
constexpr int exponent_bias = 127;

/// f32 arithmetic inside one function.
class SingleFormula {
 public:
  SingleFormula(llvm::Function* function, bool ptx)
      : ptx_(ptx), b_(llvm::BasicBlock::Create(function->getContext(), "", function)) {}

  Value* exponential(Value* x);
  Value* logarithm(Value* x);
  Value* hyperbolic_tangent(Value* x, llvm::Function* exponential);
  void give(Value* result) { b_.CreateRet(result); }

 private:
  Value* number(float value) { return llvm::ConstantFP::get(b_.getFloatTy(), value); }
  Value* word(std::uint32_t value) { return b_.getInt32(value); }
  Value* fma(Value* a, Value* b, Value* c) {
    return b_.CreateIntrinsic(llvm::Intrinsic::fma, {b_.getFloatTy()}, {a, b, c});
  }
  Value* binary(llvm::Intrinsic::ID id, Value* a, Value* b) {
    return b_.CreateIntrinsic(id, {b_.getFloatTy()}, {a, b});
  }
  Value* bits(Value* x) { return b_.CreateBitCast(x, b_.getInt32Ty()); }
  Value* real(Value* x) { return b_.CreateBitCast(x, b_.getFloatTy()); }
  Value* polynomial(Value* x, const std::vector<float>& coefficients) {
    Value* result = number(coefficients.back());
    for (std::size_t i = coefficients.size() - 1; i-- > 0;) {
      result = fma(result, x, number(coefficients[i]));
    }
    return result;
  }
  /// 2ᵏ for an exponent that a normal number can have.
  Value* power_of_two(Value* k) {
    return real(b_.CreateShl(b_.CreateAdd(k, word(exponent_bias)), mantissa_bits));
  }

  /// 1 / x to within a unit in the last place, for x ≥ 1.
  Value* inverse(Value* x) {
    if (!ptx_) return b_.CreateFDiv(number(1), x);
    return b_.CreateIntrinsic(llvm::Intrinsic::nvvm_rcp_approx_ftz_f, {}, {x});
  }

  bool ptx_;
  llvm::IRBuilder<> b_;
};

/// eˣ = 2ᵏ eᶠ with x = k ln 2 + f.  2ᵏ is applied in two halves, because 2ᵏ alone may overflow or
/// be subnormal where the result is neither.
Value* SingleFormula::exponential(Value* x) {
  constexpr float log_two_inverse = 1.4426950408889634F;
  Value* limited = binary(llvm::Intrinsic::minnum,
                          binary(llvm::Intrinsic::maxnum, x, number(exp_lowest)),
                          number(exp_highest));
  Value* shifted = fma(limited, number(log_two_inverse), number(rounding_constant));
  Value* k = b_.CreateSub(bits(shifted), word(rounding_bits));
  Value* whole = b_.CreateFSub(shifted, number(rounding_constant));
  Value* f = fma(whole, number(-log_two_high), limited);
  f = fma(whole, number(-log_two_low), f);
  Value* rest = fma(b_.CreateFMul(f, f), polynomial(f, exp_series), f);
  Value* half = b_.CreateAShr(k, word(1));
  Value* result = b_.CreateFAdd(rest, number(1));
  result = b_.CreateFMul(result, power_of_two(half));
  result = b_.CreateFMul(result, power_of_two(b_.CreateSub(k, half)));
  return b_.CreateSelect(b_.CreateFCmpUNO(x, x), x, result);
}

/// log x = k ln 2 + log(1 + f) with x = 2ᵏ (1 + f).
Value* SingleFormula::logarithm(Value* x) {
  Value* infinity = llvm::ConstantFP::getInfinity(b_.getFloatTy());
  Value* subnormal = b_.CreateFCmpOLT(x, number(smallest_normal));
  Value* scaled = b_.CreateSelect(
      subnormal, b_.CreateFMul(x, number(static_cast<float>(1 << mantissa_bits))), x);
  Value* difference = b_.CreateAnd(b_.CreateSub(bits(scaled), word(two_thirds_bits)),
                                   word(~std::uint32_t{0} << mantissa_bits));
  Value* f = b_.CreateFSub(real(b_.CreateSub(bits(scaled), difference)), number(1));
  Value* k = b_.CreateAShr(difference, word(mantissa_bits));
  k = b_.CreateSelect(subnormal, b_.CreateSub(k, word(mantissa_bits)), k);
  Value* rest = fma(b_.CreateFMul(f, f), polynomial(f, log_series), f);
  Value* result =
      fma(b_.CreateSIToFP(k, b_.getFloatTy()), number(log_two_high + log_two_low), rest);
  Value* not_positive = b_.CreateSelect(b_.CreateFCmpOEQ(x, number(0)),
                                        llvm::ConstantFP::getInfinity(b_.getFloatTy(), true),
                                        llvm::ConstantFP::getNaN(b_.getFloatTy()));
  result = b_.CreateSelect(b_.CreateFCmpOGT(x, number(0)), result, not_positive);
  // Infinity and NaN are their own logarithms.
  Value* itself = b_.CreateOr(b_.CreateFCmpUNO(x, x), b_.CreateFCmpOEQ(x, infinity));
  return b_.CreateSelect(itself, x, result);
}

/// 1 - 2 / (e²ˣ + 1) away from zero, where that loses nothing.
Value* SingleFormula::hyperbolic_tangent(Value* x, llvm::Function* exponential) {
  Value* magnitude = b_.CreateIntrinsic(llvm::Intrinsic::fabs, {b_.getFloatTy()}, {x});
  Value* square = b_.CreateFMul(x, x);
  Value* near = fma(b_.CreateFMul(square, x), polynomial(square, tanh_series), x);
  Value* grown = b_.CreateCall(exponential, {b_.CreateFAdd(magnitude, magnitude)});
  Value* far = fma(number(-2), inverse(b_.CreateFAdd(grown, number(1))), number(1));
  // The sign also of a zero, which the sum in `near` loses.
  return binary(llvm::Intrinsic::copysign,
                b_.CreateSelect(b_.CreateFCmpOLT(magnitude, number(tanh_series_end)), near, far),
                x);
}

}  // namespace

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
  SingleFormula formula(function, part.ptx);
  Value* x = function->getArg(0);
  if (op == ScalarOp::exp) {
    formula.give(formula.exponential(x));
  } else if (op == ScalarOp::log) {
    formula.give(formula.logarithm(x));
  } else {
    formula.give(formula.hyperbolic_tangent(x, kernel_function(part, ScalarOp::exp)));
  }
  return function;
}

}  // namespace dagaz::codegen
