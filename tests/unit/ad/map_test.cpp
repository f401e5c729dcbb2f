// Derivatives of scalar code, maps and sums.
#include <doctest/doctest.h>

#include "derivative_check.h"

namespace dagaz::ad_test {
namespace {

void check(const std::string& source, const std::vector<ir::Value>& arguments,
           const DerivativeOptions& options = {.second_order = true}) {
  CHECK(derivative_fault(program_of(source), arguments, options) == "");
}

TEST_CASE("straight-line scalar code") {
  check(
      "function f (x: f64, y: f64) -> [f64, f64] {"
      "  a: f64 = mul.f64 x y  b: f64 = sin.f64 a  c: f64 = fdiv.f64 b y"
      "  d: f64 = add.f64 c x  return d, a }",
      {scalar(0.7), scalar(1.3)});
}

TEST_CASE("a map over two arrays and a scalar from outside") {
  check(
      "function f (n: i64, xs: [n]f64, ys: [n]f64, c: f64) -> [[n]f64] {"
      "  zs: [n]f64 = map_scan_reduce n [xs, ys] map \\(x: f64, y: f64) -> [f64] {"
      "    a: f64 = mul.f64 x y  b: f64 = mul.f64 a c  e: f64 = exp.f64 b  return e }"
      "  return zs }",
      {integer(3), vector({0.1, 0.2, 0.3}), vector({1, 2, -1}), scalar(0.5)});
}

TEST_CASE("a sum of products in one operation") {
  check(
      "function f (n: i64, xs: [n]f64, ys: [n]f64) -> [f64] {"
      "  r: f64 = map_scan_reduce n [xs, ys] map \\(x: f64, y: f64) -> [f64] {"
      "    a: f64 = mul.f64 x y  return a } reductions [(op \\(p: f64, q: f64) -> [f64] {"
      "    s: f64 = add.f64 p q  return s } neutral [0.0f64])]"
      "  return r }",
      {integer(3), vector({0.1, 0.2, 0.3}), vector({1, 2, -1})});
}

TEST_CASE("a map over an array read at computed places") {
  check(
      "function f (n: i64, m: i64, xs: [n]f64, is: [m]i64) -> [[m]f64] {"
      "  zs: [m]f64 = map_scan_reduce m [is] map \\(i: i64) -> [f64] {"
      "    x: f64 = index xs [i]  y: f64 = mul.f64 x x  return y }"
      "  return zs }",
      {integer(3), integer(4), vector({0.1, 0.2, 0.3}), integers({2, 0, 2, 1})});
}

const std::string matrix_product =
    "function f (n: i64, m: i64, k: i64, a: [n][k]f64, b: [m][k]f64) -> [[n][m]f64] {"
    "  c: [n][m]f64 = map_scan_reduce n [a] map \\(row: [k]f64) -> [[m]f64] {"
    "    cs: [m]f64 = map_scan_reduce m [b] map \\(col: [k]f64) -> [f64] {"
    "      r: f64 = map_scan_reduce k [row, col] map \\(x: f64, y: f64) -> [f64] {"
    "        xy: f64 = mul.f64 x y  return xy } reductions [(op \\(p: f64, q: f64) -> [f64] {"
    "        s: f64 = add.f64 p q  return s } neutral [0.0f64])]"
    "      return r }"
    "    return cs }"
    "  return c }";

TEST_CASE("a matrix product") {
  check(matrix_product, {integer(2), integer(3), integer(2), matrix(2, 2, {1, 2, 3, 4}),
                         matrix(3, 2, {0.5, -1, 2, 1, 0.25, 3})});
}

TEST_CASE("a branch inside a map") {
  check(
      "function f (n: i64, xs: [n]f64, c: f64) -> [[n]f64] {"
      "  zs: [n]f64 = map_scan_reduce n [xs] map \\(x: f64) -> [f64] {"
      "    p: bool = flt.f64 x 0.0f64"
      "    y: f64 = branch p then_body { a: f64 = mul.f64 x c return a }"
      "      else_body { b: f64 = mul.f64 x x return b } result_types [f64]"
      "    return y }"
      "  return zs }",
      {integer(3), vector({-0.5, 0.2, 0.3}), scalar(3)});
}

TEST_CASE("a scalar loop inside a map") {
  check(
      "function f (n: i64, xs: [n]f64, c: f64) -> [[n]f64] {"
      "  zs: [n]f64 = map_scan_reduce n [xs] map \\(x: f64) -> [f64] {"
      "    y: f64 = loop values [a: f64 = x] form for i: i64 < 4 body {"
      "      b: f64 = mul.f64 a c  d: f64 = add.f64 b x  return d }"
      "    return y }"
      "  return zs }",
      {integer(3), vector({-0.5, 0.2, 0.3}), scalar(0.75)});
}

TEST_CASE("a number that the rows of a nest sum, and a sum over the nest needs too") {
  check(
      "function f (y: f64, xs: [2]f64, m: [3][2]f64) -> [[3][2]f64] {"
      "  x: f64 = index xs [0]"
      "  ys: [2]f64 = map_scan_reduce 2 [xs] map \\(e: f64) -> [f64] {"
      "    d: f64 = sub.f64 e y  return d }"
      "  zs: [3][2]f64 = map_scan_reduce 3 [m] map \\(row: [2]f64) -> [[2]f64] {"
      "    rs: [2]f64 = map_scan_reduce 2 [ys, row] map \\(z: f64, w: f64) -> [f64] {"
      "      a: f64 = sub.f64 x z  b: f64 = mul.f64 a w  t: f64 = tanh.f64 b  return t }"
      "    return rs }"
      "  return zs }",
      {scalar(0.3), vector({0.5, -0.2}), matrix(3, 2, {1, 2, 3, 4, 0.5, -1})});
}

}  // namespace
}  // namespace dagaz::ad_test
