// The gamma function and the logarithm of its magnitude.
//
// Up to |x| = 22, x is n + w with an integer n and |w| ≤ ½, and the recurrence Γ(x+1) = x Γ(x)
// leads to Γ(1+w): Γ(x) is the product of x-1, x-2, …, 1+w over 1/Γ(1+w), or where n ≤ 0, 1/Γ(x)
// is the product of x, x+1, …, w and 1/Γ(1+w).  That is an entire function, given by its power
// series (J. W. Wrench, Concerning two series for the gamma function, Mathematics of Computation
// 22, 1968). The factors have no rounding errors.  Their product and the series are sums of two
// doubles, because the logarithm shows each error of Γ where Γ is near ±1: at 1 and 2, and at two
// places between any two poles.  Those beyond -22 are closer to the poles than any double.
//
// From 22 on, Stirling's series serves, for Γ and for its logarithm; and below -22 the reflection
// Γ(-y) = -π / (y sin(πy) Γ(y)).  (M. Abramowitz and I. Stegun, Handbook of Mathematical
// Functions, 6.1.15, 6.1.17, 6.1.37 and 6.1.40.)
#include "codegen/kernel_gamma.h"

#include <array>
#include <numbers>

#include "codegen/kernel_formula.h"
#include "codegen/special_functions.h"

namespace dagaz::codegen {

namespace {

/// The sum of both.
struct ExactNumber {
  double high;
  double low;
};
/// 1/Γ(1+w), and its terms from w²⁰ on.
constexpr std::array<ExactNumber, 20> reciprocal_series = {{
    {1.0, 0.0},
    {0.5772156649015329, -4.942915152430645e-18},
    {-0.6558780715202539, 2.137185197068536e-17},
    {-0.04200263503409524, 1.4920306285650505e-18},
    {0.16653861138229148, 1.0189144546842026e-17},
    {-0.04219773455554433, -3.3579992682480134e-18},
    {-0.009621971527876973, -5.300031368830263e-19},
    {0.0072189432466631, -3.6006537063394283e-19},
    {-0.0011651675918590652, 5.659947853880981e-20},
    {-0.00021524167411495098, 2.3758686180729364e-21},
    {0.0001280502823881162, -9.359124499198967e-21},
    {-2.013485478078824e-05, 3.0488773972037385e-23},
    {-1.2504934821426706e-06, -2.66214092271898e-23},
    {1.133027231981696e-06, -4.622235212104869e-23},
    {-2.056338416977607e-07, -3.0061601618645134e-24},
    {6.116095104481416e-09, -2.693458298171306e-25},
    {5.002007644469223e-09, -1.538123614056751e-26},
    {-1.18127457048702e-09, -1.0052356155716208e-25},
    {1.0434267116911005e-10, -2.9298419956825035e-27},
    {7.782263439905071e-12, 4.397255556595848e-28}}};
constexpr std::array reciprocal_series_end = {
    -3.696805618642206e-12, 5.100370287454476e-13, -2.0583260535665066e-14,
    -5.348122539423018e-15, 1.2267786282382608e-15, -1.1812593016974588e-16,
    1.1866922547516004e-18, 1.4123806553180319e-18, -2.29874568443537e-19,
    1.7144063219273374e-20, 1.337351730493693e-22, -2.0542335517666728e-22, 2.736030048608e-23,
    -1.7323564459105165e-24};

/// From here on Stirling's series are good to the last digits.
constexpr double series_start = 22;
/// Γ(x) = √(2π/x) (x/e)ˣ times this series in 1/x.
constexpr std::array stirling_factor = {1.0,
                                        1.0 / 12,
                                        1.0 / 288,
                                        -139.0 / 51840,
                                        -571.0 / 2488320,
                                        163879.0 / 209018880,
                                        5246819.0 / 75246796800,
                                        -534703531.0 / 902961561600,
                                        -4483131259.0 / 86684309913600,
                                        432261921612371.0 / 514904800886784000};
/// log Γ(x) = (x - ½) (log x - 1) + log(2π)/2 - ½ + 1/x times this series in 1/x².
constexpr std::array stirling_terms = {1.0 / 12,   -1.0 / 360,  1.0 / 1260,
                                       -1.0 / 1680, 1.0 / 1188, -691.0 / 360360};
constexpr double log_constant = 0.4189385332046727;    // log(2π)/2 - ½
constexpr double root_of_two_pi = 2.5066282746310007;  // √(2π)
/// Γ overflows above the first, and below the negative second it underflows.
constexpr double gamma_highest = 172;
constexpr double gamma_lowest = 200;

class Gamma : public KernelFormula {
 public:
  using KernelFormula::KernelFormula;

  Pair near_zero(Term x);
  Term gamma(Term x);
  Term logarithm(Term x);

 private:
  Pair times(const Pair& a, Term b);
  Pair times(const Pair& a, const Pair& b);
  Pair over(const Pair& a, const Pair& b);
  Pair reciprocal(Term w);
  Pair product(Term first, Term step, Term count);
  Term far_gamma(Term x);
  Term far_logarithm(Term x);
  Pair known_near_zero(Term x);
  Term above_half(Term x) { return more(x, 0.5); }
  Term is_pole(Term x) {
    return term(b().CreateAnd(equal(truncated(x), x).value,
                              b().CreateFCmpOLE(x.value, x.like(0).value)));
  }
  Term sine_of_pi(Term x) { return call(special_function(part(), ScalarOp::sinpi), {x}); }
  Term near_or_far(Term x, Term (Gamma::*near)(Term), Term (Gamma::*far)(Term));
  Term near_gamma(Term x);
  Term near_logarithm(Term x);
};

Pair Gamma::times(const Pair& a, Term b) {
  const Pair product = exact_product(a.high, b);
  return quick_sum(product.high, fma(a.low, b, product.low));
}

Pair Gamma::times(const Pair& a, const Pair& b) {
  const Pair product = exact_product(a.high, b.high);
  return quick_sum(product.high, fma(a.high, b.low, fma(a.low, b.high, product.low)));
}

Pair Gamma::over(const Pair& a, const Pair& b) {
  const Term quotient = a.high / b.high;
  const Term rest = fma(-quotient, b.high, a.high) + fma(-quotient, b.low, a.low);
  return quick_sum(quotient, rest / b.high);
}

/// 1/Γ(1+w) for |w| ≤ ½.
Pair Gamma::reciprocal(Term w) {
  Pair sum = {polynomial(w, reciprocal_series_end), number(0)};
  for (std::size_t i = reciprocal_series.size(); i-- > 0;) {
    const ExactNumber& coefficient = reciprocal_series[i];
    const Pair grown = times(sum, w);
    const Pair next = exact_sum(number(coefficient.high), grown.high);
    sum = quick_sum(next.high, next.low + (grown.low + coefficient.low));
  }
  return sum;
}

/// Of `count` factors from `first` on.
Pair Gamma::product(Term first, Term step, Term count) {
  llvm::BasicBlock* before = here();
  llvm::BasicBlock* test = block();
  b().CreateBr(test);
  continue_in(test);
  const Pair result = {choice(first.type()), choice(first.type())};
  const Term factor = choice(first.type());
  const Term left = choice(first.type());
  const auto [again, after] = branch(more(left, 0));
  continue_in(again);
  const Pair grown = times(result, factor);
  const std::array<Term, 4> starts = {number(1), number(0), first, count};
  const std::array<Term, 4> steps = {grown.high, grown.low, factor + step, left - 1};
  const std::array<Term, 4> choices = {result.high, result.low, factor, left};
  b().CreateBr(test);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    comes(choices[i], starts[i], before);
    comes(choices[i], steps[i], again);
  }
  continue_in(after);
  return result;
}

/// Γ(x) for x > ½ and 1/Γ(x) elsewhere, where |x| < series_start.
Pair Gamma::near_zero(Term x) {
  const Term n = rounded(x);
  const Term above = above_half(x);
  const Pair factors = product(where(above, x - 1, x), where(above, number(-1), number(1)),
                               where(above, n - 1, 1 - n));
  const Pair series = reciprocal(x - n);
  const Pair quotient = over(factors, series);
  const Pair inverse = times(factors, series);
  return {where(above, quotient.high, inverse.high), where(above, quotient.low, inverse.low)};
}

/// `{double high, double low} f(double x)`: near_zero.
llvm::Function* near_zero_function(PartModule& part) {
  llvm::Type* real = llvm::Type::getDoubleTy(part.context);
  llvm::Type* pair = llvm::StructType::get(part.context, {real, real});
  const FoundFunction found = find_function(part, "dz.gamma.near_zero", pair, {real});
  if (found.known) return found.function;
  found.function->addFnAttr(llvm::Attribute::NoInline);
  Gamma formula(part, found.function);
  const Pair result = formula.near_zero(formula.parameter(0));
  formula.give({result.high, result.low});
  return found.function;
}

Pair Gamma::known_near_zero(Term x) {
  const Term found = call(near_zero_function(part()), {x});
  return {member(found, 0), member(found, 1)};
}

/// Infinite at zeros, with their sign; poles below are not numbers.
Term Gamma::near_gamma(Term x) {
  const Term found = known_near_zero(x).high;
  const Term inverse = 1.0 / where(equal(x, 0), x, found);
  const Term pole = term(b().CreateAnd(is_pole(x).value, less(x, 0).value));
  return where(pole, not_a_number(x), where(above_half(x), found, inverse));
}

/// xˣ is taken as the square of a power, which does not overflow before Γ does.
Term Gamma::far_gamma(Term x) {
  const Term size = magnitude(x);
  const Term y = where(less(size, gamma_lowest), size, number(gamma_lowest));
  const Term power = math(ScalarOp::fpow, {y, fma(y, 0.5, number(-0.25))});
  const Term part = polynomial(1.0 / y, stirling_factor) * root_of_two_pi *
                    (power * math(ScalarOp::exp, {-y}));
  const Term above = where(more(x, gamma_highest), infinity(x), part * power);
  const Term below = -std::numbers::pi / (y * sine_of_pi(size)) / part / power;
  const Term result = where(less(x, 0), where(is_pole(x), not_a_number(x), below), above);
  return where(equal(x, x), result, x);
}

/// log(high + low) = log high + low / high
Term Gamma::near_logarithm(Term x) {
  const Pair found = known_near_zero(x);
  const Term logarithm = math(ScalarOp::log, {magnitude(found.high)}) + found.low / found.high;
  return where(is_pole(x), infinity(x), where(above_half(x), logarithm, -logarithm));
}

Term Gamma::far_logarithm(Term x) {
  const Term y = magnitude(x);
  const Term inverse = 1.0 / y;
  const Term rest = fma(inverse, polynomial(inverse * inverse, stirling_terms),
                        number(log_constant));
  const Term above = fma(y - 0.5, math(ScalarOp::log, {y}) - 1, rest);
  const Term mirror = std::numbers::pi / (y * magnitude(sine_of_pi(y)));
  const Term below = math(ScalarOp::log, {mirror}) - above;
  return where(is_pole(x), infinity(x), where(less(x, 0), below, above));
}

Term Gamma::near_or_far(Term x, Term (Gamma::*near)(Term), Term (Gamma::*far)(Term)) {
  const auto [first, second] = branch(less(magnitude(x), series_start));
  llvm::BasicBlock* both = block();
  continue_in(first);
  const Term one = (this->*near)(x);
  llvm::BasicBlock* first_end = here();
  b().CreateBr(both);
  continue_in(second);
  const Term other = (this->*far)(x);
  llvm::BasicBlock* second_end = here();
  b().CreateBr(both);
  continue_in(both);
  const Term result = choice(x.type());
  comes(result, one, first_end);
  comes(result, other, second_end);
  return result;
}

Term Gamma::gamma(Term x) { return near_or_far(x, &Gamma::near_gamma, &Gamma::far_gamma); }

Term Gamma::logarithm(Term x) {
  return near_or_far(x, &Gamma::near_logarithm, &Gamma::far_logarithm);
}

}  // namespace

llvm::Function* gamma_function(PartModule& part, ScalarOp op) {
  llvm::Type* real = llvm::Type::getDoubleTy(part.context);
  const std::string name = "dz." + std::string(ir::name_of(op)) + ".f64";
  const FoundFunction found = find_function(part, name, real, {real});
  if (found.known) return found.function;
  found.function->addFnAttr(llvm::Attribute::NoInline);
  Gamma formula(part, found.function);
  const Term x = formula.parameter(0);
  formula.give(op == ScalarOp::gamma ? formula.gamma(x) : formula.logarithm(x));
  return found.function;
}

}  // namespace dagaz::codegen
