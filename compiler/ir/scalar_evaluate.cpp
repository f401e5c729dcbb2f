// The value of each scalar operation on constants: the semantics that every back end matches.
// An f16 is computed in f32 and rounded after each operation.
#include <bit>
#include <cmath>
#include <limits>

#include "ir/scalar.h"
#include "ir/special_functions.h"
#include "support/check.h"

namespace dagaz::ir {

namespace {

using Signed = std::int64_t;
using Unsigned = std::uint64_t;
__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

Signed as_signed(Unsigned value) { return static_cast<Signed>(value); }
Unsigned as_unsigned(Signed value) { return static_cast<Unsigned>(value); }

Signed lowest_of(ScalarType type) {
  return as_signed(~Unsigned{0} << (bit_width(type) - 1));
}

Unsigned power(Unsigned base, Unsigned exponent) {
  Unsigned result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result *= base;
    base *= base;
  }
  return result;
}

/// Quotient and remainder towards minus infinity; the divisor is not zero.
Signed floor_divide(Signed a, Signed b) {
  if (b == -1) return as_signed(Unsigned{0} - as_unsigned(a));
  const Signed quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}
Signed floor_modulo(Signed a, Signed b) {
  if (b == -1) return 0;
  const Signed remainder = a % b;
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

int sign(Signed value) { return (value > 0) - (value < 0); }

/// Integer operations with a result of an integer type, inside their domain; nothing if `op` is
/// none.
std::optional<Signed> integer_op(ScalarOp op, ScalarType type, const Constant& first,
                                 const Constant& second) {
  const int width = bit_width(type);
  const Unsigned ua = first.bits;
  const Unsigned ub = second.bits;
  const Signed a = integer_value(first);
  const Signed b = integer_value(second);
  const bool shifts = ub < static_cast<Unsigned>(width);
  switch (op) {
    case ScalarOp::add: return as_signed(ua + ub);
    case ScalarOp::sub: return as_signed(ua - ub);
    case ScalarOp::mul: return as_signed(ua * ub);
    case ScalarOp::neg: return as_signed(Unsigned{0} - ua);
    case ScalarOp::sdiv_floor: return floor_divide(a, b);
    case ScalarOp::smod_floor: return floor_modulo(a, b);
    case ScalarOp::sdiv: return b == -1 ? as_signed(Unsigned{0} - as_unsigned(a)) : a / b;
    case ScalarOp::srem: return b == -1 ? 0 : a % b;
    case ScalarOp::udiv: return as_signed(ua / ub);
    case ScalarOp::urem: return as_signed(ua % ub);
    case ScalarOp::ipow: return as_signed(power(as_unsigned(a), ub));
    case ScalarOp::iabs: return a < 0 ? as_signed(Unsigned{0} - as_unsigned(a)) : a;
    case ScalarOp::ssgn: return sign(a);
    case ScalarOp::usgn: return ua != 0 ? 1 : 0;
    case ScalarOp::smin: return a < b ? a : b;
    case ScalarOp::smax: return a > b ? a : b;
    case ScalarOp::umin: return as_signed(ua < ub ? ua : ub);
    case ScalarOp::umax: return as_signed(ua > ub ? ua : ub);
    case ScalarOp::bit_and: return as_signed(ua & ub);
    case ScalarOp::bit_or: return as_signed(ua | ub);
    case ScalarOp::bit_xor: return as_signed(ua ^ ub);
    case ScalarOp::bit_not: return as_signed(~ua);
    case ScalarOp::shl: return shifts ? as_signed(ua << ub) : 0;
    case ScalarOp::lshr: return shifts ? as_signed(ua >> ub) : 0;
    case ScalarOp::ashr: return shifts ? a >> ub : (a < 0 ? -1 : 0);
    case ScalarOp::popc: return std::popcount(ua);
    case ScalarOp::clz: return std::countl_zero(ua) - (64 - width);
    case ScalarOp::ctz: return ua == 0 ? width : std::countr_zero(ua);
    case ScalarOp::smul_hi: return static_cast<Signed>(Wide{a} * Wide{b} >> width);
    case ScalarOp::umul_hi:
      return as_signed(static_cast<Unsigned>(UnsignedWide{ua} * UnsignedWide{ub} >> width));
    default: return std::nullopt;  // the operations on floats and on any type, handled elsewhere
  }
}

/// Float operations with a float result, at float or double.
template <typename F>
std::optional<F> float_op(ScalarOp op, F a, F b, F c) {
  const auto in_double = [](double x) { return static_cast<F>(x); };
  constexpr F pi = static_cast<F>(3.14159265358979323846);
  switch (op) {
    case ScalarOp::add: return a + b;
    case ScalarOp::sub: return a - b;
    case ScalarOp::mul: return a * b;
    case ScalarOp::neg: return -a;
    case ScalarOp::fdiv: return a / b;
    case ScalarOp::fmod: return std::fmod(a, b);
    case ScalarOp::fpow: return std::pow(a, b);
    case ScalarOp::fabs: return std::fabs(a);
    case ScalarOp::fsgn: return std::isnan(a) ? a : static_cast<F>((a > 0) - (a < 0));
    case ScalarOp::fmin: return std::fmin(a, b);
    case ScalarOp::fmax: return std::fmax(a, b);
    case ScalarOp::sqrt: return std::sqrt(a);
    case ScalarOp::rsqrt: return 1 / std::sqrt(a);
    case ScalarOp::cbrt: return std::cbrt(a);
    case ScalarOp::exp: return std::exp(a);
    case ScalarOp::log: return std::log(a);
    case ScalarOp::log2: return std::log2(a);
    case ScalarOp::log10: return std::log10(a);
    case ScalarOp::log1p: return std::log1p(a);
    case ScalarOp::sin: return std::sin(a);
    case ScalarOp::cos: return std::cos(a);
    case ScalarOp::tan: return std::tan(a);
    case ScalarOp::asin: return std::asin(a);
    case ScalarOp::acos: return std::acos(a);
    case ScalarOp::atan: return std::atan(a);
    case ScalarOp::sinh: return std::sinh(a);
    case ScalarOp::cosh: return std::cosh(a);
    case ScalarOp::tanh: return std::tanh(a);
    case ScalarOp::asinh: return std::asinh(a);
    case ScalarOp::acosh: return std::acosh(a);
    case ScalarOp::atanh: return std::atanh(a);
    case ScalarOp::sinpi: return in_double(sinpi(static_cast<double>(a)));
    case ScalarOp::cospi: return in_double(cospi(static_cast<double>(a)));
    case ScalarOp::tanpi: return in_double(tanpi(static_cast<double>(a)));
    case ScalarOp::asinpi: return std::asin(a) / pi;
    case ScalarOp::acospi: return std::acos(a) / pi;
    case ScalarOp::atanpi: return std::atan(a) / pi;
    case ScalarOp::atan2: return std::atan2(a, b);
    case ScalarOp::atan2pi: return std::atan2(a, b) / pi;
    case ScalarOp::hypot: return std::hypot(a, b);
    case ScalarOp::gamma: return std::tgamma(a);
    case ScalarOp::lgamma: return std::lgamma(a);
    case ScalarOp::digamma: return in_double(digamma(static_cast<double>(a)));
    case ScalarOp::trigamma: return in_double(trigamma(static_cast<double>(a)));
    case ScalarOp::erf: return std::erf(a);
    case ScalarOp::erfc: return std::erfc(a);
    case ScalarOp::ceil: return std::ceil(a);
    case ScalarOp::floor: return std::floor(a);
    case ScalarOp::round: return std::nearbyint(a);
    case ScalarOp::trunc: return std::trunc(a);
    case ScalarOp::fma: return std::fma(a, b, c);
    case ScalarOp::nextafter: return std::nextafter(a, b);
    case ScalarOp::copysign: return std::copysign(a, b);
    default: return std::nullopt;  // integer operations, and those handled elsewhere
  }
}

/// The neighbour of an f16 in the direction of another; stepping in f32 would round back.
Constant half_neighbour(const Constant& from, const Constant& to) {
  const double a = float_value(from);
  const double b = float_value(to);
  if (std::isnan(a) || std::isnan(b)) return make_float(ScalarType::f16, a + b);
  if (a == b) return to;
  if (a == 0) return {ScalarType::f16, b > 0 ? 0x0001u : 0x8001u};
  const bool away_from_zero = (b > a) == (a > 0);
  return {ScalarType::f16, away_from_zero ? from.bits + 1 : from.bits - 1};
}

std::optional<Constant> evaluate_float(ScalarOp op, ScalarType type,
                                       std::span<const Constant> arguments) {
  const auto value = [&](std::size_t i) {
    return i < arguments.size() && is_float(arguments[i].type) ? float_value(arguments[i]) : 0.0;
  };
  if (op == ScalarOp::ldexp) {
    const auto exponent = static_cast<int>(integer_value(arguments[1]));
    return make_float(type, std::ldexp(value(0), exponent));
  }
  if (op == ScalarOp::isinf) return make_bool(std::isinf(value(0)));
  if (op == ScalarOp::isnan) return make_bool(std::isnan(value(0)));
  if (op == ScalarOp::flt) return make_bool(value(0) < value(1));
  if (op == ScalarOp::fle) return make_bool(value(0) <= value(1));
  if (op == ScalarOp::eq) return make_bool(value(0) == value(1));
  if (op == ScalarOp::ne) return make_bool(value(0) != value(1));
  if (op == ScalarOp::to_boolean) return make_bool(value(0) != 0);
  if (op == ScalarOp::nextafter && type == ScalarType::f16) {
    return half_neighbour(arguments[0], arguments[1]);
  }
  if (type == ScalarType::f64) {
    const auto result = float_op<double>(op, value(0), value(1), value(2));
    return result ? std::optional(make_float(type, *result)) : std::nullopt;
  }
  const auto narrow = [&](std::size_t i) { return static_cast<float>(value(i)); };
  const auto result = float_op<float>(op, narrow(0), narrow(1), narrow(2));
  return result ? std::optional(make_float(type, static_cast<double>(*result))) : std::nullopt;
}

Constant float_to_integer(ScalarType result, double value, bool is_signed) {
  if (!std::isfinite(value)) return zero_of(result);
  const int bits = bit_width(result) - (is_signed ? 1 : 0);
  const double limit = std::ldexp(1.0, bits);
  if (is_signed) {
    if (value >= limit) return make_integer(result, ~lowest_of(result));
    if (value < -limit) return make_integer(result, lowest_of(result));
    return make_integer(result, static_cast<Signed>(value));
  }
  if (value >= limit) return make_integer(result, -1);
  if (value <= 0) return zero_of(result);
  return make_integer(result, as_signed(static_cast<Unsigned>(value)));
}

std::optional<Constant> evaluate_conversion(ScalarOp op, ScalarType result, const Constant& from) {
  switch (op) {
    case ScalarOp::sign_extend: return make_integer(result, integer_value(from));
    case ScalarOp::zero_extend: return make_integer(result, as_signed(from.bits));
    case ScalarOp::signed_to_float: {
      const Signed value = integer_value(from);
      // To f32 in one rounding, not through f64.
      return make_float(result, result == ScalarType::f32
                                    ? static_cast<double>(static_cast<float>(value))
                                    : static_cast<double>(value));
    }
    case ScalarOp::unsigned_to_float:
      return make_float(result, result == ScalarType::f32
                                    ? static_cast<double>(static_cast<float>(from.bits))
                                    : static_cast<double>(from.bits));
    case ScalarOp::float_to_signed: return float_to_integer(result, float_value(from), true);
    case ScalarOp::float_to_unsigned: return float_to_integer(result, float_value(from), false);
    case ScalarOp::float_convert: return make_float(result, float_value(from));
    case ScalarOp::float_to_bits:
    case ScalarOp::bits_to_float: return Constant{result, from.bits};
    default: return std::nullopt;  // not a conversion
  }
}

}  // namespace

std::optional<Constant> evaluate(ScalarOp op, ScalarType type, ScalarType result,
                                 std::span<const Constant> arguments) {
  if (domain_of(op) == Domain::divisor && arguments[1].bits == 0) return std::nullopt;
  if (op == ScalarOp::select) return arguments[0].bits != 0 ? arguments[1] : arguments[2];
  if (result_kind_of(op) == ResultKind::converted) {
    return evaluate_conversion(op, result, arguments[0]);
  }
  if (is_float(type)) return evaluate_float(op, type, arguments);
  const Constant& a = arguments[0];
  const Constant& b = arguments.size() > 1 ? arguments[1] : arguments[0];
  switch (op) {
    case ScalarOp::eq: return make_bool(a.bits == b.bits);
    case ScalarOp::ne: return make_bool(a.bits != b.bits);
    case ScalarOp::slt: return make_bool(integer_value(a) < integer_value(b));
    case ScalarOp::sle: return make_bool(integer_value(a) <= integer_value(b));
    case ScalarOp::ult: return make_bool(a.bits < b.bits);
    case ScalarOp::ule: return make_bool(a.bits <= b.bits);
    case ScalarOp::to_boolean: return make_bool(a.bits != 0);
    default: break;  // integer arithmetic
  }
  const auto value = integer_op(op, type, a, b);
  if (!value) return std::nullopt;
  return make_integer(result_type(op, type, result), *value);
}

}  // namespace dagaz::ir
