// Evaluation of scalar operations at the corners of their definition.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "ir/scalar.h"
#include "ir/special_functions.h"

namespace dagaz::ir {
namespace {

std::int64_t integers(ScalarOp op, ScalarType type, std::int64_t a, std::int64_t b) {
  const Constant arguments[] = {make_integer(type, a), make_integer(type, b)};
  return integer_value(*evaluate(op, type, type, arguments));
}
double floats(ScalarOp op, ScalarType type, double a, double b) {
  const Constant arguments[] = {make_float(type, a), make_float(type, b)};
  return float_value(*evaluate(op, type, type, arguments));
}
std::int64_t to_integer(ScalarType result, double value) {
  const Constant argument = make_float(ScalarType::f64, value);
  return integer_value(*evaluate(ScalarOp::float_to_signed, ScalarType::f64, result,
                                 {&argument, 1}));
}

TEST_CASE("division rounds as the operation says") {
  CHECK(integers(ScalarOp::sdiv_floor, ScalarType::i32, -7, 2) == -4);
  CHECK(integers(ScalarOp::smod_floor, ScalarType::i32, -7, 2) == 1);
  CHECK(integers(ScalarOp::sdiv, ScalarType::i32, -7, 2) == -3);
  CHECK(integers(ScalarOp::srem, ScalarType::i32, -7, 2) == -1);
  CHECK(integers(ScalarOp::udiv, ScalarType::i8, -1, 2) == 127);
  CHECK(integers(ScalarOp::sdiv, ScalarType::i8, -128, -1) == -128);
  const Constant by_zero[] = {make_i64(1), make_i64(0)};
  CHECK(!evaluate(ScalarOp::sdiv, ScalarType::i64, ScalarType::i64, by_zero));
}

TEST_CASE("shifts by counts outside the width") {
  CHECK(integers(ScalarOp::shl, ScalarType::i8, 1, 8) == 0);
  CHECK(integers(ScalarOp::lshr, ScalarType::i8, -1, 4) == 15);
  CHECK(integers(ScalarOp::ashr, ScalarType::i8, -16, 2) == -4);
  CHECK(integers(ScalarOp::ashr, ScalarType::i8, -1, 100) == -1);
}

TEST_CASE("high words of products") {
  CHECK(integers(ScalarOp::smul_hi, ScalarType::i64, -1, 1) == -1);
  CHECK(integers(ScalarOp::umul_hi, ScalarType::i64, -1, 2) == 1);
  CHECK(integers(ScalarOp::umul_hi, ScalarType::i8, -1, -1) == -2);
}

TEST_CASE("floats saturate into integers, and what is not a number becomes 0") {
  CHECK(to_integer(ScalarType::i8, 300.7) == 127);
  CHECK(to_integer(ScalarType::i8, -300.7) == -128);
  CHECK(to_integer(ScalarType::i64, 1e300) == std::numeric_limits<std::int64_t>::max());
  CHECK(to_integer(ScalarType::i32, std::nan("")) == 0);
  CHECK(to_integer(ScalarType::i32, HUGE_VAL) == 0);
  CHECK(to_integer(ScalarType::i32, -1.9) == -1);
}

TEST_CASE("a number wins over NaN in minimum and maximum") {
  CHECK(floats(ScalarOp::fmin, ScalarType::f64, std::nan(""), 1) == 1);
  CHECK(floats(ScalarOp::fmax, ScalarType::f32, 1, std::nan("")) == 1);
}

TEST_CASE("halves round to nearest even, once") {
  CHECK(float_value(make_float(ScalarType::f16, 2049)) == 2048);
  CHECK(float_value(make_float(ScalarType::f16, 2051)) == 2052);
  CHECK(float_value(make_float(ScalarType::f16, 65519.99)) == 65504);
  CHECK(std::isinf(float_value(make_float(ScalarType::f16, 65520))));
  CHECK(make_float(ScalarType::f16, 0x1p-24).bits == 1);
  CHECK(make_float(ScalarType::f16, 0x1p-25).bits == 0);
  CHECK(make_float(ScalarType::f16, 0x1.ff8p-15).bits == 0x3FF);
  for (std::uint64_t bits = 0; bits < 0x7C00; ++bits) {
    const Constant half{ScalarType::f16, bits};
    REQUIRE(make_float(ScalarType::f16, float_value(half)) == half);
  }
}

TEST_CASE("digamma and trigamma at known places") {
  CHECK(digamma(1) == doctest::Approx(-0.5772156649015329).epsilon(1e-14));
  CHECK(digamma(0.5) == doctest::Approx(-1.9635100260214235).epsilon(1e-14));
  CHECK(digamma(-0.5) == doctest::Approx(0.03648997397857652).epsilon(1e-12));
  CHECK(trigamma(1) == doctest::Approx(1.6449340668482264).epsilon(1e-14));
  CHECK(trigamma(-0.5) == doctest::Approx(8.934802200544679).epsilon(1e-13));
  CHECK(sinpi(1) == 0);
  CHECK(cospi(0.5) == 0);
  CHECK(cospi(1) == -1);
}

}  // namespace
}  // namespace dagaz::ir
