// Powers whose exponent is a constant, as products, quotients and roots.
//
// Integers wrap, so that every order of multiplications gives the same: xⁿ by repeated squaring.
// On floats the special cases of IEEE 754-2019 (9.2.1) hold for every value; the results are within
// 2 ulp, where only x⁻², x³, x⁴ and half powers are rounded more than once.  Reciprocals come
// first: x² may overflow where x⁻² does not.  Larger powers of f16 and f32 are products of a wider
// type; those of f64 stay powers, but of |x|: of lanes with a negative base vector libraries ask
// the scalar function.
//
// The derivative of a power is 0 at 0 where the exponent is less than 1, which that of a quotient
// or a root is not: these wait until the program has been differentiated.
#include <cmath>
#include <limits>

#include "passes/simplify/rules.h"

namespace dagaz::passes {

namespace {

constexpr std::int64_t largest_integer_exponent = 64;
constexpr std::int64_t largest_float_exponent = 16;

Outcome becomes(Scalar& node, ScalarOp op, const Operand& a, const Operand& b) {
  node = Scalar{op, node.type, node.type, {a, b}};
  return Outcome::rewritten;
}

// x^(2k) = (x·x)^k,  x^(2k+1) = x^(2k) · x
Outcome integer_power(Scalar& node, std::int64_t exponent, Rules& rules) {
  const ScalarType type = node.type;
  Operand square = node.arguments[0];
  std::optional<Operand> product;
  for (;; exponent /= 2) {
    if (exponent % 2 == 1) {
      if (exponent == 1 && product) return becomes(node, ScalarOp::mul, *product, square);
      if (exponent == 1) return rules.replace(square);
      product = product ? rules.scalar(ScalarOp::mul, type, {*product, square}) : square;
    }
    if (exponent == 2 && !product) return becomes(node, ScalarOp::mul, square, square);
    square = rules.scalar(ScalarOp::mul, type, {square, square});
  }
}

// The exponents that an integer type can hold are read as unsigned: others are too large here.
Outcome integer_powers(Scalar& node, Rules& rules) {
  const Operand& base = node.arguments[0];
  const Operand& exponent = node.arguments[1];
  if (base == Operand(make_integer(node.type, 2))) {
    // A shift by the width or more gives 0, as the product does.
    return becomes(node, ScalarOp::shl, Operand(one_of(node.type)), exponent);
  }
  if (!exponent.is_constant()) return Outcome::none;
  const std::int64_t value = integer_value(exponent.constant());
  if (value < 2 || value > largest_integer_exponent) return Outcome::none;
  return integer_power(node, value, rules);
}

// x^½ = |√x|, which is +0 for -0, but for -∞: ∞
Operand half_power(const Operand& x, ScalarType type, Rules& rules) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Operand root = rules.scalar(ScalarOp::sqrt, type, {x});
  const Operand value = rules.scalar(ScalarOp::fabs, type, {root});
  const Operand lowest =
      rules.scalar(ScalarOp::eq, type, {x, Operand(make_float(type, -infinity))});
  return rules.scalar(ScalarOp::select, type, {lowest, Operand(make_float(type, infinity)), value});
}

Operand reciprocal(const Operand& x, ScalarType type, Rules& rules) {
  return rules.scalar(ScalarOp::fdiv, type, {Operand(one_of(type)), x});
}

// x^(k/2) for the exponents in `doubled`.
Outcome float_power(Scalar& node, int doubled, Rules& rules) {
  const ScalarType type = node.type;
  const Operand x = node.arguments[0];
  const Operand one(one_of(type));
  const auto times = [&](const Operand& a, const Operand& b) {
    return rules.scalar(ScalarOp::mul, type, {a, b});
  };
  switch (doubled) {
    case 0: return rules.replace(one);
    case 4: return becomes(node, ScalarOp::mul, x, x);
    case 6: return becomes(node, ScalarOp::mul, times(x, x), x);
    case 8: {
      const Operand square = times(x, x);
      return becomes(node, ScalarOp::mul, square, square);
    }
    case -2: return becomes(node, ScalarOp::fdiv, one, x);
    case -4: {
      const Operand inverse = reciprocal(x, type, rules);
      return becomes(node, ScalarOp::mul, inverse, inverse);
    }
    case 1: return rules.replace(half_power(x, type, rules));
    case -1: return becomes(node, ScalarOp::fdiv, one, half_power(x, type, rules));
    case 3: case -3: {
      // |x| · x^½: -∞ · -∞ would be right only by halves.
      const Operand base = doubled > 0 ? x : reciprocal(x, type, rules);
      const Operand size = rules.scalar(ScalarOp::fabs, type, {base});
      return becomes(node, ScalarOp::mul, size, half_power(base, type, rules));
    }
    default: return Outcome::none;
  }
}

// No power of a finite number of f16 or f32 up to the largest exponent that overflows the wider
// type is finite in the narrow one.
Outcome large_float_power(Scalar& node, std::int64_t exponent, Rules& rules) {
  const ScalarType type = node.type;
  const Operand x = node.arguments[0];
  if (type == ScalarType::f64) {
    const auto* base = rules.defined_as<Scalar>(x);
    if (base != nullptr && base->op == ScalarOp::fabs) return Outcome::none;
    const Operand size = rules.scalar(ScalarOp::fabs, type, {x});
    if (size == x) return Outcome::none;
    if (exponent % 2 == 0) return becomes(node, ScalarOp::fpow, size, node.arguments[1]);
    const Operand power = rules.scalar(ScalarOp::fpow, type, {size, node.arguments[1]});
    return becomes(node, ScalarOp::copysign, power, x);
  }
  const ScalarType wide = type == ScalarType::f16 ? ScalarType::f32 : ScalarType::f64;
  Scalar product{ScalarOp::fpow,
                 wide,
                 wide,
                 {rules.convert(ScalarOp::float_convert, type, wide, x), node.arguments[1]}};
  integer_power(product, exponent, rules);
  const Operand value = rules.scalar(product.op, wide, product.arguments);
  node = Scalar{ScalarOp::float_convert, wide, type, {value}};
  return Outcome::rewritten;
}

Outcome float_powers(Scalar& node, Rules& rules) {
  if (!node.arguments[1].is_constant()) return Outcome::none;
  const double doubled = 2 * float_value(node.arguments[1].constant());
  if (doubled > 8 && doubled <= 2 * largest_float_exponent && std::fmod(doubled, 2) == 0) {
    if (rules.is_to_be_differentiated()) return Outcome::none;
    return large_float_power(node, static_cast<std::int64_t>(doubled / 2), rules);
  }
  if (!(doubled >= -4 && doubled <= 8) || doubled != static_cast<int>(doubled)) {
    return Outcome::none;
  }
  const bool same_derivative = doubled == 0 || doubled >= 4;
  if (!same_derivative && rules.is_to_be_differentiated()) return Outcome::none;
  return float_power(node, static_cast<int>(doubled), rules);
}

}  // namespace

Outcome constant_powers(Scalar& node, Rules& rules) {
  if (node.op == ScalarOp::ipow) return integer_powers(node, rules);
  if (node.op == ScalarOp::fpow) return float_powers(node, rules);
  return Outcome::none;
}

}  // namespace dagaz::passes
