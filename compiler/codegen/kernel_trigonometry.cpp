// Sine, cosine and tangent.  The angle x becomes k quarter turns and a rest r in [-π/4, π/4]: sin
// x and cos x are ± sin r or ± cos r, and tan x is their quotient.
//
// Where k is small, r = x - k π/2 with π/2 as the sum of three numbers (W. J. Cody and W. Waite,
// Software Manual for the Elementary Functions, 1980); with fused multiplication and addition the
// first difference is exact.  Elsewhere 2/π is a long row of bits, of which the ones that give
// whole turns are left out and 192 suffice (M. Payne and R. Hanek, Radian reduction for
// trigonometric functions, SIGNUM Newsletter 18, 1983).  For f64 the rest comes with its rounding
// error, as a sum high + low, because sine and cosine would show it.
#include "codegen/kernel_trigonometry.h"

#include <array>

#include "codegen/kernel_formula.h"

namespace dagaz::codegen {

namespace {

// The polynomials interpolate where Chebyshev's nodes are, which comes close to the best: their
// error is at most about a tenth of a unit in the last place of the function.

/// (sin r - r) / r³ and (cos r - 1 + r²/2) / r⁴ as functions of r², for |r| ≤ π/4
constexpr std::array sine_series = {-0.16666666666666632,  0.008333333333322408,
                                    -0.00019841269829802915, 2.755731369032523e-06,
                                    -2.5050757879910682e-08, 1.5896782715145627e-10};
constexpr std::array cosine_series = {0.041666666666666664,    -0.0013888888888887395,
                                      2.4801587298763433e-05,  -2.7557317270560326e-07,
                                      2.0876146024689747e-09, -1.1382614868556325e-11};
/// The same for f32, the cosine from its first coefficient on.
constexpr std::array sine_series_single = {-0.16666655242443085, 0.008332177065312862,
                                           -0.00019517126202117652};
constexpr std::array cosine_series_single = {1.0, -0.5, 0.0416666641831398, -0.001388830249197781,
                                             2.454789137118496e-05};

constexpr double two_over_pi = 0.6366197723675814;
/// Their sums are π/2.
constexpr std::array half_pi = {1.5707963267948966, 6.123233995736766e-17,
                                -1.4973849048591698e-33};
constexpr std::array half_pi_single = {1.5707963705062866, -4.371138828673793e-08,
                                       -1.7151245100058819e-15};
/// Adding this to a small number rounds it to an integer and leaves that in the low bits.
constexpr double rounding_constant = 6755399441055744.0;  // 1.5 · 2⁵²
constexpr double rounding_constant_single = 12582912.0;   // 1.5 · 2²³
/// Below, the three parts of π/2 leave an error far below the last place of any rest.
constexpr double ordinary_end = 1073741824.0;  // 2³⁰
constexpr double ordinary_end_single = 100000.0;

/// 64 zeros and 1216 bits of 2/π.
constexpr std::array<std::uint64_t, 20> bits_of_two_over_pi = {
    0x0000000000000000, 0xA2F9836E4E441529, 0xFC2757D1F534DDC0, 0xDB6295993C439041,
    0xFE5163ABDEBBC561, 0xB7246E3A424DD2E0, 0x06492EEA09D1921C, 0xFE1DEB1CB129A73E,
    0xE88235F52EBB4484, 0xE99C7026B45F7E41, 0x3991D639835339F4, 0x9C845F8BBDF9283B,
    0x1FF897FFDE05980F, 0xEF2F118B5A0A6D1F, 0x6D367ECF27CB09B7, 0x4F463F669E5FEA2D,
    0x7527BAC7EBE5F17B, 0x3D0739F78A5292EA, 0x6BFB5FB11F8D5D08, 0x56033046FC7B6BAB};
constexpr int mantissa_bits = 52;
constexpr int exponent_mask = 0x7FF;
/// With E as its bits say it, a number is an integer times 2^(E - 1075).  Bits of 2/π before the
/// place E - 1077 make multiples of four quarter turns, and 64 zeros stand before them.
constexpr int place_of_exponent = 1077 - 64;

/// An angle in quarter turns and a rest; `low` only for f64.
struct Angle {
  Term quarters;  // an i32, modulo 4
  Term high;
  Term low;
};

llvm::Type* angle_type(llvm::LLVMContext& context) {
  llvm::Type* real = llvm::Type::getDoubleTy(context);
  return llvm::StructType::get(context, {llvm::Type::getInt32Ty(context), real, real});
}

llvm::GlobalVariable* table_of_two_over_pi(PartModule& part) {
  constexpr const char* name = "dz.two_over_pi";
  if (llvm::GlobalVariable* known = part.module.getGlobalVariable(name, true)) return known;
  llvm::Constant* values = llvm::ConstantDataArray::get(
      part.context, llvm::ArrayRef(bits_of_two_over_pi.data(), bits_of_two_over_pi.size()));
  return new llvm::GlobalVariable(part.module, values->getType(), true,
                                  llvm::GlobalValue::InternalLinkage, values, name);
}

class Trigonometry : public KernelFormula {
 public:
  using KernelFormula::KernelFormula;

  Angle reduced_ordinary(Term x);
  Angle reduced_ordinary_single(Term x);
  Angle reduced_far(Term x);
  Angle reduced(Term x);
  Term sine(const Angle& angle);
  Term cosine(const Angle& angle);
  Term function(ScalarOp op, Term x);

 private:
  bool single_ = false;

  Term shifted(Term a, unsigned count) { return term(b().CreateLShr(a.value, count)); }
  Term low_bits(Term a, int mask) { return term(b().CreateAnd(a.value, a.like(mask).value)); }
  Term has_bit(Term a, int bit) { return term(b().CreateIsNotNull(low_bits(a, bit).value)); }
  Term resized(Term a, unsigned width) {
    return term(b().CreateZExtOrTrunc(a.value, b().getIntNTy(width)));
  }
  Term as_real(Term a) { return term(b().CreateUIToFP(a.value, b().getDoubleTy())); }
  std::array<Term, 3> window(Term place);
  Angle of_fraction(Term quarters, Term fraction, Term x);
};

/// k is the nearest integer to 2x/π.  x - k c₁ is exact: both are multiples of the last place of c₁
/// and their difference is below one.
Angle Trigonometry::reduced_ordinary(Term x) {
  const Term sum = fma(x, two_over_pi, number(rounding_constant));
  const Term quarters = resized(bits(sum), 32);
  const Term k = sum - rounding_constant;
  const Term first = fma(k, -half_pi[0], x);
  const Pair second = exact_product(k, number(half_pi[1]));
  const Pair rest = exact_sum(first, -second.high);
  const Pair angle = quick_sum(rest.high, fma(k, -half_pi[2], rest.low - second.low));
  return {quarters, angle.high, angle.low};
}

Angle Trigonometry::reduced_ordinary_single(Term x) {
  const Term constant = x.like(rounding_constant_single);
  const Term sum = fma(x, two_over_pi, constant);
  const Term k = sum - constant;
  Term rest = x;
  for (const double part : half_pi_single) rest = fma(k, -part, rest);
  return {bits(sum), rest, {}};
}

/// 192 bits of the table from a place on, the highest first.
std::array<Term, 3> Trigonometry::window(Term place) {
  llvm::GlobalVariable* table = table_of_two_over_pi(part());
  const Term index = shifted(place, 6);
  const Term offset = low_bits(place, 63);
  std::array<Term, 4> words;
  for (unsigned i = 0; i < words.size(); ++i) {
    llvm::Value* at = b().CreateInBoundsGEP(b().getInt64Ty(), table, (index + i).value);
    words[i] = term(b().CreateLoad(b().getInt64Ty(), at));
  }
  std::array<Term, 3> aligned;
  for (unsigned i = 0; i < aligned.size(); ++i) {
    aligned[i] = term(b().CreateIntrinsic(
        llvm::Intrinsic::fshl, {b().getInt64Ty()},
        {words[i].value, words[i + 1].value, offset.value}));
  }
  return aligned;
}

/// Multiplies the integer that x is but for a power of two with the bits of 2/π that matter.
Angle Trigonometry::reduced_far(Term x) {
  const Term form = bits(x);
  const Term exponent = low_bits(shifted(form, mantissa_bits), exponent_mask);
  const std::uint64_t leading = std::uint64_t{1} << mantissa_bits;
  const Term mantissa = term(b().CreateOr(
      b().CreateAnd(form.value, word(leading - 1).value), word(leading).value));
  const std::array<Term, 3> factor = window(exponent - place_of_exponent);
  const Term wide = resized(mantissa, 128);
  // All of the product's 256 bits but the highest 64, which are whole turns.
  const Term lowest = wide * resized(factor[2], 128);
  const Term middle = wide * resized(factor[1], 128) + shifted(lowest, 64);
  const Term highest = shifted(middle, 64) + wide * resized(factor[0], 128);
  const Term above = term(b().CreateShl(highest.value, 64));
  const Term product = term(b().CreateOr(above.value, resized(resized(middle, 64), 128).value));
  // The two highest bits are quarter turns; the rest with the two next is their fraction.
  const Term next = resized(shifted(resized(lowest, 64), 62), 128);
  const Term fraction = term(b().CreateOr(b().CreateShl(product.value, 2), next.value));
  return of_fraction(resized(shifted(product, 126), 32), fraction, x);
}

/// `fraction` / 2¹²⁸ of a quarter turn beyond `quarters`, with the sign of x; from a half on it
/// counts back from the next quarter.
Angle Trigonometry::of_fraction(Term quarters, Term fraction, Term x) {
  constexpr double two_to_minus_64 = 0x1p-64;
  const Term back = term(b().CreateICmpSLT(fraction.value, fraction.like(0).value));
  const Term size = where(back, -fraction, fraction);
  const Term upper = resized(shifted(size, 64), 64);
  const Term first = as_real(upper);
  const Term left = upper - term(b().CreateFPToUI(first.value, b().getInt64Ty()));
  const Term second = term(b().CreateSIToFP(left.value, b().getDoubleTy())) +
                      as_real(resized(size, 64)) * two_to_minus_64;
  const Term high = first * two_to_minus_64;
  const Term low = second * two_to_minus_64;
  const Pair product = exact_product(high, number(half_pi[0]));
  const Pair rest = quick_sum(
      product.high, fma(low, half_pi[0], fma(high, half_pi[1], product.low)));
  const Term negative = less(x, 0);
  const Term turned = quarters + resized(back, 32);
  const Term flips = term(b().CreateXor(back.value, negative.value));
  const Term finite = less(magnitude(x), infinity(x));
  const Term signed_high = where(flips, -rest.high, rest.high);
  return {where(negative, -turned, turned), where(finite, signed_high, not_a_number(x)),
          where(flips, -rest.low, rest.low)};
}

/// `{i32 quarters, double high, double low} f(double x)`: reduced_far, for |x| ≥ 2¹⁶.
llvm::Function* far_reduction(PartModule& part) {
  const FoundFunction found = find_function(part, "dz.far_angle", angle_type(part.context),
                                            {llvm::Type::getDoubleTy(part.context)});
  if (found.known) return found.function;
  found.function->addFnAttr(llvm::Attribute::NoInline);
  Trigonometry formula(part, found.function);
  const Angle angle = formula.reduced_far(formula.parameter(0));
  formula.give({angle.quarters, angle.high, angle.low});
  return found.function;
}

Angle Trigonometry::reduced(Term x) {
  single_ = x.type()->isFloatTy();
  const double end = single_ ? ordinary_end_single : ordinary_end;
  const auto [near, far] = branch(less(magnitude(x), end));
  llvm::BasicBlock* both = block();
  continue_in(near);
  const Angle ordinary = single_ ? reduced_ordinary_single(x) : reduced_ordinary(x);
  b().CreateBr(both);
  continue_in(far);
  const Term found = call(far_reduction(part()), {widened(x)});
  const Angle distant = {member(found, 0), narrowed(member(found, 1), x.type()), member(found, 2)};
  b().CreateBr(both);
  continue_in(both);
  const auto join = [&](Term one, Term other) {
    const Term result = choice(one.type());
    comes(result, one, near);
    comes(result, other, far);
    return result;
  };
  return {join(ordinary.quarters, distant.quarters), join(ordinary.high, distant.high),
          single_ ? Term() : join(ordinary.low, distant.low)};
}

/// sin(high + low) = sin high + low cos high
Term Trigonometry::sine(const Angle& angle) {
  const Term r = angle.high;
  const Term square = r * r;
  if (single_) return fma(square * r, polynomial(square, sine_series_single), r);
  const Term rest = angle.low * fma(square, -0.5, number(1));
  return r + fma(square * r, polynomial(square, sine_series), rest);
}

/// cos(high + low) = cos high - low sin high, and what 1 - r²/2 loses is added at the end.
Term Trigonometry::cosine(const Angle& angle) {
  const Term r = angle.high;
  const Term square = r * r;
  if (single_) return polynomial(square, cosine_series_single);
  const Term half = rounded_product(square, number(0.5));
  const Pair start = quick_sum(number(1), -half);
  const Term rest = fma(square * square, polynomial(square, cosine_series), -(r * angle.low));
  return start.high + (start.low + rest);
}

Term Trigonometry::function(ScalarOp op, Term x) {
  const Angle angle = reduced(x);
  const Term sine = this->sine(angle);
  const Term cosine = this->cosine(angle);
  const Term quarters = op == ScalarOp::cos ? angle.quarters + 1 : angle.quarters;
  const Term odd = has_bit(quarters, 1);
  if (op == ScalarOp::tan) {
    const Term result = where(odd, -cosine, sine) / where(odd, sine, cosine);
    return where(equal(x, 0), x, result);
  }
  const Term value = where(odd, cosine, sine);
  const Term result = where(has_bit(quarters, 2), -value, value);
  return op == ScalarOp::cos ? result : where(equal(x, 0), x, result);
}

}  // namespace

llvm::Function* circular_function(PartModule& part, ScalarOp op, ScalarType type) {
  const bool single = type == ScalarType::f32;
  llvm::Type* real =
      single ? llvm::Type::getFloatTy(part.context) : llvm::Type::getDoubleTy(part.context);
  const std::string name = "dz." + std::string(ir::name_of(op)) + (single ? ".f32" : ".f64");
  const FoundFunction found = find_function(part, name, real, {real});
  if (found.known) return found.function;
  Trigonometry formula(part, found.function);
  formula.give(formula.function(op, formula.parameter(0)));
  return found.function;
}

}  // namespace dagaz::codegen
