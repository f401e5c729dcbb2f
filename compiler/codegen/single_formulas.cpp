#include "codegen/single_formulas.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/IntrinsicsX86.h>

namespace dagaz::codegen {

using llvm::Value;

namespace {

// The polynomials are minimax fits (weighted least squares by Lawson's iteration) to the function
// on the interval named with each; their relative error is below 5e-9, a tenth of an f32's last
// place, of tanh below 2e-8.

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
/// (tanh g - g) / g³ as a function of g², for |g| ≤ 0.72
const std::vector<float> tanh_series = {-0.33333155512809753F, 0.13328321278095245F,
                                        -0.053503476083278656F, 0.019942117854952812F,
                                        -0.005001192446798086F};
/// From here on tanh rounds to 1.
constexpr float tanh_is_one = 10;

/// Adding this to a small number rounds it to an integer and leaves that in the low bits.
constexpr float rounding_constant = 12582912.0F;  // 1.5 · 2²³
constexpr std::uint32_t rounding_bits = 0x4B400000;
/// ln 2 in two parts; the first has few bits, so that its product with a small integer is exact.
constexpr float log_two_high = 0.693145751953125F;
constexpr float log_two_low = 1.428606765330187e-6F;
/// eˣ rounds to infinity above and to zero below.
constexpr float exp_highest = 89.0F;
// Its power is so far below all numbers that rounding it to zero costs nothing; processors take a
// hundred cycles for what is subnormal, or nearly.
constexpr float exp_lowest = -120.0F;
constexpr float exp_is_zero = -104.0F;
constexpr float smallest_normal = 1.17549435e-38F;
/// Bits of 2/3: a mantissa is taken from [2/3, 4/3).
constexpr std::uint32_t two_thirds_bits = 0x3F2AAAAB;
constexpr int mantissa_bits = 23;
constexpr int exponent_bias = 127;

}  // namespace

Value* SingleFormulas::polynomial(Value* x, const std::vector<float>& coefficients) {
  Value* result = number(coefficients.back());
  for (std::size_t i = coefficients.size() - 1; i-- > 0;) {
    result = fma(result, x, number(coefficients[i]));
  }
  return result;
}

/// NaN stays, and for x86 this is one instruction.
Value* SingleFormulas::at_most(Value* x, float highest) {
  return b_.CreateSelect(b_.CreateFCmpOLT(number(highest), x), number(highest), x);
}

Value* SingleFormulas::at_least(Value* x, float lowest) {
  return b_.CreateSelect(b_.CreateFCmpOGT(number(lowest), x), number(lowest), x);
}

/// 2ᵏ for an exponent that a normal number can have.
Value* SingleFormulas::power_of_two(Value* k) {
  return real(b_.CreateShl(b_.CreateAdd(k, word(exponent_bias)), mantissa_bits));
}

/// a / b as rounding gives it, for 0 ≤ a ≤ b and b in [1, 2³⁰].
Value* SingleFormulas::share(Value* a, Value* b) {
  if (side_ != Side::ptx) return b_.CreateFDiv(a, b);
  Value* inverse = b_.CreateIntrinsic(llvm::Intrinsic::nvvm_rcp_approx_ftz_f, {}, {b});
  Value* nearly = b_.CreateFMul(a, inverse);
  return fma(fma(b_.CreateFNeg(nearly), b, a), inverse, nearly);
}

/// eˣ = 2ᵏ eᶠ with x = k ln 2 + f.
SingleFormulas::Reduced SingleFormulas::reduced_exponential(Value* x) {
  constexpr float log_two_inverse = 1.4426950408889634F;
  Value* shifted = fma(x, number(log_two_inverse), number(rounding_constant));
  Value* whole = b_.CreateFSub(shifted, number(rounding_constant));
  Value* f = fma(whole, number(-log_two_high), x);
  f = fma(whole, number(-log_two_low), f);
  Value* rest = fma(b_.CreateFMul(f, f), polynomial(f, exp_series), f);
  return {shifted, whole, b_.CreateFAdd(rest, number(1))};
}

/// 2ᵏ 2ᵗ with the hardware's approximation of 2ᵗ, for k the exponent of a normal number: where x is
/// beyond those, t is too, and the product is infinite, subnormal or zero as it should be.
Value* SingleFormulas::exponential_by_hardware(Value* x) {
  constexpr float log_two_inverse_high = 1.44269502F;
  constexpr float log_two_inverse_low = 1.92596303e-8F;
  constexpr int exponents = 2 * (exponent_bias - 1);
  // (k + 126) / 252, between 0 and 1.
  Value* share = b_.CreateIntrinsic(
      llvm::Intrinsic::nvvm_saturate_f, {},
      {fma(x, number(log_two_inverse_high / static_cast<float>(exponents)), number(0.5F))});
  // The sum's unit is 1, its low bits are k + 127.
  Value* shifted = b_.CreateIntrinsic(
      llvm::Intrinsic::nvvm_fma_rm_f, {},
      {share, number(static_cast<float>(exponents)), number(rounding_constant + 1)});
  Value* k = b_.CreateFSub(shifted, number(rounding_constant + exponent_bias));
  Value* t = fma(x, number(log_two_inverse_high), b_.CreateFNeg(k));
  t = fma(x, number(log_two_inverse_low), t);
  Value* power = b_.CreateIntrinsic(llvm::Intrinsic::nvvm_ex2_approx_ftz_f, {}, {t});
  return b_.CreateFMul(power, real(b_.CreateShl(bits(shifted), mantissa_bits)));
}

/// 2ᵏ is applied in two halves, because 2ᵏ alone may overflow or be subnormal where the result is
/// neither.
Value* SingleFormulas::exponential(Value* x) {
  if (side_ == Side::ptx) return exponential_by_hardware(x);
  if (side_ == Side::avx512) return scaled_exponential(x);
  const Reduced reduced = reduced_exponential(at_most(at_least(x, exp_lowest), exp_highest));
  Value* k = b_.CreateSub(bits(reduced.shifted), word(rounding_bits));
  Value* half = b_.CreateAShr(k, word(1));
  Value* result = b_.CreateFMul(reduced.fraction, power_of_two(half));
  return b_.CreateFMul(result, power_of_two(b_.CreateSub(k, half)));
}

/// An instruction applies 2ᵏ.  It takes a hundred cycles also for what it rounds to zero, unless a
/// mask says so before.
Value* SingleFormulas::scaled_exponential(Value* x) {
  constexpr int current_rounding = 4;
  const Reduced reduced = reduced_exponential(at_most(x, exp_highest));
  Value* above_zero = b_.CreateFCmpUGE(x, number(exp_is_zero));
  return b_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_scalef_ps_512, {},
                            {reduced.fraction, reduced.whole, number(0),
                             b_.CreateBitCast(above_zero, b_.getInt16Ty()),
                             b_.getInt32(current_rounding)});
}

/// log x = k ln 2 + log(1 + f) with x = 2ᵏ (1 + f).
Value* SingleFormulas::logarithm(Value* x) {
  Value* infinity = llvm::ConstantFP::getInfinity(real_);
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
      fma(b_.CreateSIToFP(k, real_), number(log_two_high + log_two_low), rest);
  Value* not_positive = b_.CreateSelect(b_.CreateFCmpOEQ(x, number(0)),
                                        llvm::ConstantFP::getInfinity(real_, true),
                                        llvm::ConstantFP::getNaN(real_));
  result = b_.CreateSelect(b_.CreateFCmpOGT(x, number(0)), result, not_positive);
  // Infinity and NaN are their own logarithms.
  Value* itself = b_.CreateOr(b_.CreateFCmpUNO(x, x), b_.CreateFCmpOEQ(x, infinity));
  return b_.CreateSelect(itself, x, result);
}

/// With |x| = 2 k ln 2 + g, p = 16ᵏ and t = tanh g:
///   tanh |x| = ((p + 1) t + p - 1) / ((p - 1) t + p + 1),
/// the denominator as the numerator + 2 - 2 t, so that an error of one is nearly one of the other.
/// For k = 0 the quotient is exactly t.  All is doubled, which makes the exponent of p a multiple
/// of 4.
Value* SingleFormulas::hyperbolic_tangent(Value* x) {
  // Less than 1 / (2 ln 2): a larger g, which is positive, does less harm than k = 1 for small
  // magnitudes.
  constexpr float steps = 0.7F;
  constexpr float step = 1.3862943611198906F;
  // The low bits of the sum, times 4, are the exponent of 2 p.
  constexpr float shift = rounding_constant + (exponent_bias + 1) / 4;
  Value* magnitude = b_.CreateIntrinsic(llvm::Intrinsic::fabs, {real_}, {x});
  Value* limited = at_most(magnitude, tanh_is_one);
  Value* shifted = fma(limited, number(steps), number(shift));
  Value* whole = b_.CreateFSub(shifted, number(shift));
  Value* g = fma(whole, number(-step), limited);
  Value* square = b_.CreateFMul(g, g);
  Value* t = fma(b_.CreateFMul(g, square), polynomial(square, tanh_series), g);
  Value* power = real(b_.CreateShl(bits(shifted), mantissa_bits + 2));
  Value* numerator =
      fma(b_.CreateFAdd(power, number(2)), t, b_.CreateFSub(power, number(2)));
  Value* denominator = b_.CreateFAdd(numerator, fma(t, number(-4), number(4)));
  return binary(llvm::Intrinsic::copysign, share(numerator, denominator), x);
}

}  // namespace dagaz::codegen
