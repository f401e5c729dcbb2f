// The table of partial derivatives; see the header.
#include "passes/ad/scalar_derivatives.h"

#include <array>
#include <numbers>
#include <variant>

#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

// Emits the derivatives of one operation at one type, in formulas that read as such.
class Formulas {
 public:
  Formulas(Environment& environment, const ScalarSite& site)
      : environment_(&environment), site_(&site) {}

  Partial partial(int index);

 private:
  Operand x() const { return site_->arguments[0]; }
  Operand y() const { return site_->arguments[1]; }
  Operand r() const { return site_->result; }
  Operand real(double value) const { return Operand(make_float(site_->type, value)); }
  Operand integer(std::int64_t value) const { return Operand(make_integer(site_->type, value)); }
  Operand call(ScalarOp op, std::vector<Operand> arguments) {
    return environment_->out().scalar(op, site_->type, std::move(arguments), "d");
  }
  Operand mul(Operand a, Operand b) { return call(ScalarOp::mul, {a, b}); }
  Operand add(Operand a, Operand b) { return call(ScalarOp::add, {a, b}); }
  Operand sub(Operand a, Operand b) { return call(ScalarOp::sub, {a, b}); }
  Operand div(Operand a, Operand b) { return call(ScalarOp::fdiv, {a, b}); }
  Operand neg(Operand a) { return call(ScalarOp::neg, {a}); }
  Operand inverse(Operand a) { return div(real(1), a); }
  Operand square(Operand a) { return mul(a, a); }
  Operand sqrt(Operand a) { return call(ScalarOp::sqrt, {a}); }

  Operand quotient(bool first);
  Partial integer_quotient(int index);
  Partial angle(int index);
  Partial integer_power(int index);
  Partial float_power(int index);
  Partial real_function();
  Partial inverse_function();
  Operand tetragamma();

  Environment* environment_;
  const ScalarSite* site_;
};

// x/y: 1/y, and -(x/y)·(1/y), so that all that is divided by y shares one division.
Operand Formulas::quotient(bool first) {
  const Operand one_over_y = inverse(y());
  return first ? one_over_y : neg(mul(r(), one_over_y));
}

// x/y: 1/y and -x/y², rounded to integers.
Partial Formulas::integer_quotient(int index) {
  const ScalarOp divide = site_->op == ScalarOp::udiv ? ScalarOp::udiv : ScalarOp::sdiv;
  if (index == 0) return FactorPartial{call(divide, {integer(1), y()})};
  // y² may wrap to 0; then the quotient is far below 1.
  const Operand y_squared = square(y());
  const Operand wrapped = call(ScalarOp::eq, {y_squared, integer(0)});
  const Operand divisor = environment_->out().select(site_->type, wrapped, integer(1), y_squared);
  const Operand quotient = neg(call(divide, {x(), divisor}));
  return FactorPartial{environment_->out().select(site_->type, wrapped, integer(0), quotient)};
}

// atan2(y, x): the first argument is the ordinate.
Partial Formulas::angle(int index) {
  const Operand norm = add(square(x()), square(y()));
  const Operand value = index == 0 ? div(y(), norm) : neg(div(x(), norm));
  if (site_->op == ScalarOp::atan2) return FactorPartial{value};
  return FactorPartial{mul(real(1 / std::numbers::pi), value)};
}

// xⁿ: n·xⁿ⁻¹, and 0 for n = 0, where xⁿ⁻¹ may not exist.
Partial Formulas::integer_power(int index) {
  if (index == 1) return ZeroPartial{};
  const Operand none = call(ScalarOp::eq, {y(), integer(0)});
  const Operand less =
      environment_->out().select(site_->type, none, integer(0), sub(y(), integer(1)));
  return FactorPartial{mul(y(), call(ScalarOp::ipow, {x(), less}))};
}

// x^y: ∂/∂x = y·x^(y-1), taken as 0 at x = 0 for y < 1, and for y = 0, where x^(y-1) may be
// infinite; ∂/∂y = log(x)·x^y, 0 for x ≤ 0.
Partial Formulas::float_power(int index) {
  Builder& out = environment_->out();
  if (index == 0) {
    const Operand at_zero = call(ScalarOp::eq, {x(), real(0)});
    const Operand small = call(ScalarOp::flt, {y(), real(1)});
    const Operand none = call(ScalarOp::eq, {y(), real(0)});
    const Operand edge =
        out.scalar(ScalarOp::bit_and, ScalarType::boolean, {at_zero, small}, "d");
    const Operand guard = out.scalar(ScalarOp::bit_or, ScalarType::boolean, {edge, none}, "d");
    const Operand value = mul(y(), call(ScalarOp::fpow, {x(), sub(y(), real(1))}));
    return FactorPartial{out.select(site_->type, guard, real(0), value)};
  }
  const Operand outside = call(ScalarOp::fle, {x(), real(0)});
  const Operand value = mul(call(ScalarOp::log, {x()}), r());
  return FactorPartial{out.select(site_->type, outside, real(0), value)};
}

// ψ''(x), by ψ''(x) = ψ''(x+1) - 2/x³ until the argument is large and then the asymptotic series
// -1/y² - 1/y³ - 1/(2y⁴) + 1/(6y⁶) - 1/(6y⁸) + 3/(10y¹⁰) - 5/(6y¹²) + 691/(210y¹⁴) - 35/(2y¹⁶).
Operand Formulas::tetragamma() {
  Builder& out = environment_->out();
  Names& names = environment_->names();
  const ScalarType type = site_->type;
  const Operand missing = out.convert(ScalarOp::float_to_signed, type, ScalarType::i64,
                                      call(ScalarOp::ceil, {sub(real(12), x())}));
  const Operand most = out.scalar(ScalarOp::smin, ScalarType::i64, {missing, i64_operand(10000)});
  const Operand steps = out.scalar(ScalarOp::smax, ScalarType::i64, {most, i64_operand(0)});
  Loop loop;
  const NameId z = names.fresh("z", scalar_of(type));
  const NameId sum = names.fresh("sum", scalar_of(type));
  loop.values = {{Binder{z}, x()}, {Binder{sum}, real(0)}};
  loop.form = ForForm{Binder{names.fresh("i", scalar_of(ScalarType::i64))}, steps};
  {
    NestedScope scope(*environment_);
    const Operand term = div(real(2), mul(z, square(z)));
    const Operand next_sum = sub(sum, term);
    loop.body = scope.take({add(z, real(1)), next_sum});
  }
  const NameId large = names.fresh("y", scalar_of(type));
  const NameId head = names.fresh("sum", scalar_of(type));
  out.add(Statement{{Binder{large}, Binder{head}}, std::move(loop), {}, out.location()});
  const Operand u = inverse(square(large));
  static constexpr std::array<double, 7> coefficients = {
      -17.5, 691.0 / 210.0, -5.0 / 6.0, 3.0 / 10.0, -1.0 / 6.0, 1.0 / 6.0, -0.5};
  Operand series = real(0);
  for (const double coefficient : coefficients) {
    series = mul(u, add(real(coefficient), series));
  }
  // series = u·(-1/2 + u·(1/6 + …)); the leading terms are -u - u/y.
  const Operand leading = sub(neg(real(1)), inverse(large));
  return add(head, mul(u, add(leading, series)));
}

Partial Formulas::inverse_function() {
  constexpr double pi = std::numbers::pi;
  switch (site_->op) {
    case ScalarOp::asin: return FactorPartial{inverse(sqrt(sub(real(1), square(x()))))};
    case ScalarOp::acos: return FactorPartial{div(real(-1), sqrt(sub(real(1), square(x()))))};
    case ScalarOp::atan: return FactorPartial{inverse(add(real(1), square(x())))};
    case ScalarOp::asinh: return FactorPartial{inverse(sqrt(add(square(x()), real(1))))};
    case ScalarOp::acosh: return FactorPartial{inverse(sqrt(sub(square(x()), real(1))))};
    case ScalarOp::atanh: return FactorPartial{inverse(sub(real(1), square(x())))};
    case ScalarOp::asinpi: return FactorPartial{div(real(1 / pi), sqrt(sub(real(1), square(x()))))};
    case ScalarOp::acospi:
      return FactorPartial{div(real(-1 / pi), sqrt(sub(real(1), square(x()))))};
    case ScalarOp::atanpi: return FactorPartial{div(real(1 / pi), add(real(1), square(x())))};
    default: DZ_UNREACHABLE("not an inverse function");
  }
}

Partial Formulas::real_function() {
  constexpr double pi = std::numbers::pi;
  switch (site_->op) {
    case ScalarOp::sqrt: return FactorPartial{div(real(0.5), r())};
    case ScalarOp::rsqrt: return FactorPartial{div(mul(real(-0.5), r()), x())};
    case ScalarOp::cbrt: return FactorPartial{inverse(mul(real(3), square(r())))};
    case ScalarOp::exp: return FactorPartial{r()};
    case ScalarOp::log: return FactorPartial{inverse(x())};
    case ScalarOp::log2: return FactorPartial{div(real(std::numbers::log2e), x())};
    case ScalarOp::log10: return FactorPartial{div(real(std::numbers::log10e), x())};
    case ScalarOp::log1p: return FactorPartial{inverse(add(real(1), x()))};
    case ScalarOp::sin: return FactorPartial{call(ScalarOp::cos, {x()})};
    case ScalarOp::cos: return FactorPartial{neg(call(ScalarOp::sin, {x()}))};
    case ScalarOp::tan: return FactorPartial{add(real(1), square(r()))};
    case ScalarOp::sinh: return FactorPartial{call(ScalarOp::cosh, {x()})};
    case ScalarOp::cosh: return FactorPartial{call(ScalarOp::sinh, {x()})};
    case ScalarOp::tanh: return FactorPartial{sub(real(1), square(r()))};
    case ScalarOp::sinpi: return FactorPartial{mul(real(pi), call(ScalarOp::cospi, {x()}))};
    case ScalarOp::cospi: return FactorPartial{mul(real(-pi), call(ScalarOp::sinpi, {x()}))};
    case ScalarOp::tanpi: return FactorPartial{mul(real(pi), add(real(1), square(r())))};
    case ScalarOp::gamma: return FactorPartial{mul(r(), call(ScalarOp::digamma, {x()}))};
    case ScalarOp::lgamma: return FactorPartial{call(ScalarOp::digamma, {x()})};
    case ScalarOp::digamma: return FactorPartial{call(ScalarOp::trigamma, {x()})};
    case ScalarOp::trigamma: return FactorPartial{tetragamma()};
    case ScalarOp::erf:
      return FactorPartial{mul(real(2 * std::numbers::inv_sqrtpi),
                        call(ScalarOp::exp, {neg(square(x()))}))};
    case ScalarOp::erfc:
      return FactorPartial{mul(real(-2 * std::numbers::inv_sqrtpi),
                        call(ScalarOp::exp, {neg(square(x()))}))};
    default: return inverse_function();
  }
}

Partial Formulas::partial(int index) {
  const bool first = index == 0;
  switch (site_->op) {
    case ScalarOp::add: return OnePartial{};
    case ScalarOp::sub:
      if (first) return OnePartial{};
      return MinusOnePartial{};
    case ScalarOp::neg: return MinusOnePartial{};
    case ScalarOp::bit_not:
      if (site_->type == ScalarType::boolean) return OnePartial{};
      return MinusOnePartial{};
    case ScalarOp::mul: case ScalarOp::smul_hi: case ScalarOp::umul_hi:
      return FactorPartial{first ? y() : x()};
    case ScalarOp::fdiv: return FactorPartial{quotient(first)};
    case ScalarOp::fmod:
      if (first) return OnePartial{};
      return FactorPartial{neg(call(ScalarOp::trunc, {div(x(), y())}))};
    case ScalarOp::sdiv_floor: case ScalarOp::sdiv: case ScalarOp::udiv:
      return integer_quotient(index);
    case ScalarOp::smod_floor: case ScalarOp::srem: case ScalarOp::urem:
    case ScalarOp::nextafter:
      return OnePartial{};
    case ScalarOp::ipow: return integer_power(index);
    case ScalarOp::fpow: return float_power(index);
    case ScalarOp::iabs: return FactorPartial{call(ScalarOp::ssgn, {x()})};
    case ScalarOp::fabs: return FactorPartial{call(ScalarOp::fsgn, {x()})};
    case ScalarOp::smin: return ChoicePartial{call(ScalarOp::sle, {x(), y()}), first};
    case ScalarOp::smax: return ChoicePartial{call(ScalarOp::sle, {y(), x()}), first};
    case ScalarOp::umin: return ChoicePartial{call(ScalarOp::ule, {x(), y()}), first};
    case ScalarOp::umax: return ChoicePartial{call(ScalarOp::ule, {y(), x()}), first};
    case ScalarOp::fmin: return ChoicePartial{call(ScalarOp::fle, {x(), y()}), first};
    case ScalarOp::fmax: return ChoicePartial{call(ScalarOp::fle, {y(), x()}), first};
    case ScalarOp::shl: return FactorPartial{call(ScalarOp::shl, {integer(1), y()})};
    case ScalarOp::lshr: case ScalarOp::ashr:
      return FactorPartial{call(ScalarOp::lshr, {integer(1), y()})};
    case ScalarOp::select: return ChoicePartial{site_->arguments[0], index == 1};
    case ScalarOp::sign_extend: case ScalarOp::zero_extend: case ScalarOp::float_convert:
      return ConversionPartial{site_->op, site_->op};
    case ScalarOp::signed_to_float: case ScalarOp::unsigned_to_float:
      return ConversionPartial{site_->op, ScalarOp::float_to_signed};
    case ScalarOp::float_to_signed: case ScalarOp::float_to_unsigned:
      return ConversionPartial{ScalarOp::float_to_signed, ScalarOp::signed_to_float};
    case ScalarOp::float_to_bits:
      return ConversionPartial{ScalarOp::float_to_bits, ScalarOp::bits_to_float};
    case ScalarOp::bits_to_float:
      return ConversionPartial{ScalarOp::bits_to_float, ScalarOp::float_to_bits};
    case ScalarOp::atan2: case ScalarOp::atan2pi: return angle(index);
    case ScalarOp::hypot: return FactorPartial{div(first ? x() : y(), r())};
    case ScalarOp::fma:
      if (index == 2) return OnePartial{};
      return FactorPartial{first ? y() : x()};
    case ScalarOp::copysign:
      return FactorPartial{mul(call(ScalarOp::copysign, {real(1), x()}),
                        call(ScalarOp::copysign, {real(1), y()}))};
    case ScalarOp::ldexp: return FactorPartial{call(ScalarOp::ldexp, {real(1), y()})};
    default: return real_function();
  }
}

}  // namespace

bool has_derivative(ScalarOp op, int index) {
  switch (op) {
    case ScalarOp::eq: case ScalarOp::ne: case ScalarOp::slt: case ScalarOp::sle:
    case ScalarOp::ult: case ScalarOp::ule: case ScalarOp::flt: case ScalarOp::fle:
    case ScalarOp::bit_and: case ScalarOp::bit_or: case ScalarOp::bit_xor:
    case ScalarOp::popc: case ScalarOp::clz: case ScalarOp::ctz:
    case ScalarOp::ssgn: case ScalarOp::usgn: case ScalarOp::fsgn:
    case ScalarOp::to_boolean: case ScalarOp::isinf: case ScalarOp::isnan:
    case ScalarOp::ceil: case ScalarOp::floor: case ScalarOp::round: case ScalarOp::trunc:
      return false;
    case ScalarOp::smod_floor: case ScalarOp::srem: case ScalarOp::urem:
    case ScalarOp::ipow: case ScalarOp::shl: case ScalarOp::lshr: case ScalarOp::ashr:
    case ScalarOp::nextafter: case ScalarOp::copysign: case ScalarOp::ldexp:
      return index == 0;
    case ScalarOp::select:
      return index > 0;
    default:
      return true;
  }
}

static std::optional<Operand> scale(Environment& environment, const Partial& partial,
                                    ScalarType type, Operand value) {
  return match(
      partial, [](const ZeroPartial&) { return std::optional<Operand>(); },
      [&](const OnePartial&) { return std::optional(value); },
      [&](const MinusOnePartial&) { return std::optional(environment.negate(type, value)); },
      [&](const FactorPartial& factor) {
        return std::optional(environment.multiply(type, factor.value, value));
      },
      [&](const ChoicePartial& choice) {
        const Operand zero(zero_of(type));
        return std::optional(environment.out().select(type, choice.condition,
                                                      choice.if_holds ? value : zero,
                                                      choice.if_holds ? zero : value));
      },
      [](const ConversionPartial&) -> std::optional<Operand> {
        DZ_UNREACHABLE("conversions change the type");
      });
}

// Nothing flows between booleans and numbers.
static bool is_constant_in(const ScalarSite& site, int index) {
  const ScalarType type = operand_type(site.op, site.type, index);
  return !has_derivative(site.op, index) ||
         (type == ScalarType::boolean) != (site.result_type == ScalarType::boolean);
}

Partial partial_derivative(Environment& environment, const ScalarSite& site, int index) {
  if (is_constant_in(site, index)) return ZeroPartial{};
  return Formulas(environment, site).partial(index);
}

std::optional<Operand> push_forward(Environment& environment, const ScalarSite& site,
                                    const Partial& partial, Operand tangent) {
  if (const auto* conversion = std::get_if<ConversionPartial>(&partial)) {
    return environment.out().convert(conversion->forward, site.type, site.result_type, tangent);
  }
  return scale(environment, partial, site.result_type, tangent);
}

std::optional<Operand> pull_back(Environment& environment, const ScalarSite& site,
                                 const Partial& partial, Operand adjoint) {
  if (const auto* conversion = std::get_if<ConversionPartial>(&partial)) {
    return environment.out().convert(conversion->backward, site.result_type, site.type, adjoint);
  }
  return scale(environment, partial, site.result_type, adjoint);
}

}  // namespace dagaz::passes::ad
