// The remainder that x leaves when it is divided by y, with the sign of x.  It is always a number
// of the type, and every step here is exact.
//
// While x ≥ y (both positive), q = trunc(x/y) in rounded division is the whole quotient or one
// more, if it has fewer bits than a mantissa.  Then x - qy, by fused multiplication and addition,
// has no rounding error, and y is added where that is negative.  A greater quotient loses all but
// the last bits of a mantissa at a time, by the same step with y 2ʲ: that leaves x mod y as it
// is.  So numbers of similar size take one step, and the extremes of f64 about forty.
#include "codegen/kernel_remainder.h"

#include "codegen/kernel_formula.h"

namespace dagaz::codegen {

namespace {

/// How the bits of a type are used.
struct FloatForm {
  int mantissa_bits;  // without the leading one
  int exponent_bias;
};
constexpr FloatForm single_form = {23, 127};
constexpr FloatForm double_form = {52, 1023};

class Remainder : public KernelFormula {
 public:
  Remainder(PartModule& part, llvm::Function* function, FloatForm form)
      : KernelFormula(part, function), form_(form) {}

  Term remainder(Term x, Term y);

 private:
  FloatForm form_;

  Term exponent(Term a);
  Term power_of_two(Term exponent, llvm::Type* type);
  Term step(Term x, Term y, Term exponent_of_y);
};

/// Of a positive number, as its bits say it; continued below zero for subnormal numbers.
Term Remainder::exponent(Term a) {
  const auto field = [&](Term form) {
    return term(b().CreateLShr(form.value, static_cast<unsigned>(form_.mantissa_bits)));
  };
  const Term form = bits(a);
  const Term places = term(b().CreateUIToFP(form.value, a.type()));
  const Term subnormal = field(bits(places)) - (form_.exponent_bias + form_.mantissa_bits - 1);
  const Term normal = field(form);
  return where(term(b().CreateIsNull(normal.value)), subnormal, normal);
}

Term Remainder::power_of_two(Term exponent, llvm::Type* type) {
  const Term biased = exponent + form_.exponent_bias;
  return term(b().CreateBitCast(
      b().CreateShl(biased.value, static_cast<unsigned>(form_.mantissa_bits)), type));
}

/// x mod y 2ʲ with the least j ≥ 0 for which the quotient fits.
Term Remainder::step(Term x, Term y, Term exponent_of_y) {
  const Term excess = exponent(x) - exponent_of_y - (form_.mantissa_bits - 1);
  const Term j = term(b().CreateBinaryIntrinsic(llvm::Intrinsic::smax, excess.value,
                                                excess.like(0).value));
  // In two factors, because 2ʲ may overflow.
  const Term half = term(b().CreateLShr(j.value, 1));
  const Term divisor = y * power_of_two(half, y.type()) * power_of_two(j - half, y.type());
  const Term quotient = truncated(x / divisor);
  const Term rest = fma(-quotient, divisor, x);
  return where(less(rest, 0), rest + divisor, rest);
}

Term Remainder::remainder(Term x, Term y) {
  const Term size = magnitude(y);
  const Term defined = term(b().CreateAnd(less(magnitude(x), infinity(x)).value,
                                          more(size, 0).value));
  const Term divisor = where(defined, size, y.like(1));
  const Term start = where(defined, magnitude(x), x.like(0));
  const Term exponent_of_divisor = exponent(divisor);
  llvm::BasicBlock* before = here();
  llvm::BasicBlock* test = block();
  b().CreateBr(test);
  continue_in(test);
  const Term rest = choice(x.type());
  const auto [again, after] = branch(term(b().CreateFCmpOGE(rest.value, divisor.value)));
  continue_in(again);
  const Term next = step(rest, divisor, exponent_of_divisor);
  b().CreateBr(test);
  comes(rest, start, before);
  comes(rest, next, again);
  continue_in(after);
  return where(defined, with_sign(rest, x), not_a_number(x));
}

}  // namespace

llvm::Function* remainder_function(PartModule& part, ScalarType type) {
  const bool single = type == ScalarType::f32;
  llvm::Type* real =
      single ? llvm::Type::getFloatTy(part.context) : llvm::Type::getDoubleTy(part.context);
  const std::string name = single ? "dz.fmod.f32" : "dz.fmod.f64";
  const FoundFunction found = find_function(part, name, real, {real, real});
  if (found.known) return found.function;
  Remainder formula(part, found.function, single ? single_form : double_form);
  formula.give(formula.remainder(formula.parameter(0), formula.parameter(1)));
  return found.function;
}

}  // namespace dagaz::codegen
