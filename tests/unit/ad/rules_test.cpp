// Derivatives of reductions, scans, histograms, scatters and first-order array operations.
#include <doctest/doctest.h>

#include "derivative_check.h"

namespace dagaz::ad_test {
namespace {

void check(const std::string& source, const std::vector<ir::Value>& arguments,
           const DerivativeOptions& options = {.second_order = true}) {
  CHECK(derivative_fault(program_of(source), arguments, options) == "");
}

const std::string add_op =
    "(op \\(p: f64, q: f64) -> [f64] { s: f64 = add.f64 p q return s } neutral [0.0f64])";
const std::string mul_op =
    "(op \\(p: f64, q: f64) -> [f64] { s: f64 = mul.f64 p q return s } neutral [1.0f64])";
const std::string min_op =
    "(op \\(p: f64, q: f64) -> [f64] { s: f64 = fmin.f64 p q return s } neutral [f64.inf])";
// (a + b·x) composed: (a₁ + b₁x) then (a₂ + b₂x).
const std::string affine_op =
    "(op \\(p: f64, q: f64, r: f64, s: f64) -> [f64, f64] {"
    " t: f64 = mul.f64 s p  u: f64 = add.f64 r t  v: f64 = mul.f64 q s return u, v }"
    " neutral [0.0f64, 1.0f64])";

std::string reduce_program(const std::string& op) {
  return "function f (n: i64, xs: [n]f64) -> [f64] {"
         " r: f64 = map_scan_reduce n [xs] map \\(x: f64) -> [f64] { return x } reductions [" +
         op + "] return r }";
}
std::string scan_program(const std::string& op) {
  return "function f (n: i64, xs: [n]f64) -> [[n]f64] {"
         " ys: [n]f64 = map_scan_reduce n [xs] map \\(x: f64) -> [f64] { return x } scans [" +
         op + "] return ys }";
}
const std::vector<ir::Value> four = {integer(4), vector({0.5, -0.25, 2, 1.5})};

TEST_CASE("reductions") {
  check(reduce_program(add_op), four);
  check(reduce_program(mul_op), four);
  check(reduce_program(min_op), four);
  check(reduce_program(add_op), {integer(0), vector({})});
  check(reduce_program(mul_op), {integer(0), vector({})});
  check(reduce_program(min_op), {integer(1), vector({3})});
}

TEST_CASE("a product with zeros") {
  check(reduce_program(mul_op), {integer(3), vector({2, 0, 5})});
  check(reduce_program(mul_op), {integer(3), vector({0, 0, 5})});
}

TEST_CASE("of equal extrema the first one has the derivative") {
  const auto adjoints =
      vjp(program_of(reduce_program(min_op)), {integer(3), vector({2, 1, 1})}, {scalar(1)});
  CHECK(adjoints[0] == vector({0, 1, 0}));
}

const std::string affine_reduce =
    "function f (n: i64, xs: [n]f64, ys: [n]f64) -> [f64, f64] {"
    " a: f64, b: f64 = map_scan_reduce n [xs, ys] map \\(x: f64, y: f64) -> [f64, f64] {"
    " return x, y } reductions [" + affine_op + "] return a, b }";
const std::string affine_scan =
    "function f (n: i64, xs: [n]f64, ys: [n]f64) -> [[n]f64, [n]f64] {"
    " a: [n]f64, b: [n]f64 = map_scan_reduce n [xs, ys] map \\(x: f64, y: f64) -> [f64, f64] {"
    " return x, y } scans [" + affine_op + "] return a, b }";
const std::vector<ir::Value> pairs = {integer(4), vector({0.5, -0.25, 2, 1.5}),
                                      vector({1, 0.5, -2, 0.75})};

TEST_CASE("a reduction with an operator on pairs") { check(affine_reduce, pairs); }

TEST_CASE("scans") {
  check(scan_program(add_op), four);
  check(scan_program(mul_op), four);
  check(scan_program(min_op), four);
  check(affine_scan, pairs);
  check(scan_program(mul_op), {integer(0), vector({})});
}

TEST_CASE("an operator that uses something from outside") {
  // x ⊙ y = x·y·c is associative.
  const std::string op =
      "(op \\(p: f64, q: f64) -> [f64] { s: f64 = mul.f64 p q  t: f64 = mul.f64 s c return t }"
      " neutral [2.0f64])";
  const std::vector<ir::Value> arguments = {integer(3), vector({0.5, -0.25, 2}), scalar(0.5)};
  DerivativeOptions options;
  // The neutral element is only neutral for this c, so differences do not apply to it.
  options.difference_tolerance = 1e9;
  check("function f (n: i64, xs: [n]f64, c: f64) -> [[n]f64] {"
        " ys: [n]f64 = map_scan_reduce n [xs] map \\(x: f64) -> [f64] { return x } scans [" +
            op + "] return ys }",
        arguments, options);
}

TEST_CASE("a reduction and a scan of rows") {
  const std::string rows_op =
      "(op \\(p: [m]f64, q: [m]f64) -> [[m]f64] {"
      " s: [m]f64 = map_scan_reduce m [p, q] map \\(u: f64, v: f64) -> [f64] {"
      " z: f64 = mul.f64 u v return z } return s } neutral [ones])";
  const std::vector<ir::Value> arguments = {integer(3), integer(2),
                                            matrix(3, 2, {1, 2, 0.5, -1, 3, 2})};
  check("function f (n: i64, m: i64, xs: [n][m]f64) -> [[m]f64] {"
        " ones: [m]f64 = replicate [m] 1.0f64"
        " r: [m]f64 = map_scan_reduce n [xs] map \\(x: [m]f64) -> [[m]f64] { return x }"
        " reductions [" + rows_op + "] return r }",
        arguments);
  check("function f (n: i64, m: i64, xs: [n][m]f64) -> [[n][m]f64] {"
        " ones: [m]f64 = replicate [m] 1.0f64"
        " r: [n][m]f64 = map_scan_reduce n [xs] map \\(x: [m]f64) -> [[m]f64] { return x }"
        " scans [" + rows_op + "] return r }",
        arguments);
}

TEST_CASE("a scan of rows with an operator that mixes them") {
  // The affine maps of affine_op, each as an array of two numbers.
  const auto op = [](const std::string& k) {
    return "(op \\(p" + k + ": [2]f64, q" + k + ": [2]f64) -> [[2]f64] {"
           " a" + k + ": f64 = index p" + k + " [0]  b" + k + ": f64 = index p" + k + " [1]"
           " c" + k + ": f64 = index q" + k + " [0]  d" + k + ": f64 = index q" + k + " [1]"
           " g" + k + ": f64 = mul.f64 d" + k + " a" + k +
           " h" + k + ": f64 = add.f64 c" + k + " g" + k +
           " i" + k + ": f64 = mul.f64 b" + k + " d" + k +
           " j" + k + ": [2]f64 = array f64 [h" + k + ", i" + k + "] return j" + k +
           " } neutral [e])";
  };
  check("function f (n: i64, xs: [n][2]f64) -> [[n][2]f64, [2]f64] {"
        " e: [2]f64 = array f64 [0.0f64, 1.0f64]"
        " r: [2]f64, s: [n][2]f64 = map_scan_reduce n [xs] map \\(x: [2]f64) -> [[2]f64, [2]f64] {"
        " return x, x } scans [" + op("1") + "] reductions [" + op("2") + "] return s, r }",
        {integer(3), matrix(3, 2, {1, 2, 0.5, -1, 3, 2})}, {});
}

TEST_CASE("map, scans, reductions and a map in one operation") {
  check("function f (n: i64, xs: [n]f64) -> [f64, [n]f64, [n]f64] {"
        " r: f64, ys: [n]f64, zs: [n]f64 = map_scan_reduce n [xs] map \\(x: f64) -> [f64, f64, f64]"
        " { a: f64 = mul.f64 x x  b: f64 = sin.f64 x return a, b, x }"
        " scans [" + add_op + "] reductions [(op \\(p2: f64, q2: f64) -> [f64] {"
        " s2: f64 = add.f64 p2 q2 return s2 } neutral [0.0f64])]"
        " post \\(u: f64, v: f64) -> [f64, f64] { w: f64 = mul.f64 u v return w, u }"
        " return r, ys, zs }",
        four);
}

std::string histogram_program(const std::string& op, const std::string& neutral) {
  return "function f (n: i64, xs: [n]f64, is: [n]i64, d: [3]f64) -> [[3]f64] {"
         " e: [3]f64 = copy d"
         " h: [3]f64 = histogram n [is, xs] map \\(i: i64, x: f64) -> [i64, f64] {"
         "  y: f64 = mul.f64 x x return i, y } operators [([3] [e] [" + neutral + "] op " +
         op + ")] return h }";
}

TEST_CASE("histograms") {
  const std::vector<ir::Value> arguments = {
      integer(5), vector({0.5, -1, 2, 1.5, 3}), integers({0, 2, 0, 7, 2}), vector({1, 2, 3})};
  const auto op = [](const std::string& name) {
    return "\\(p: f64, q: f64) -> [f64] { s: f64 = " + name + ".f64 p q return s }";
  };
  check(histogram_program(op("add"), "0.0f64"), arguments);
  check(histogram_program(op("mul"), "1.0f64"), arguments);
  check(histogram_program(op("fmax"), "-f64.inf"), arguments);
  check(histogram_program(op("fmin"), "f64.inf"), arguments);
  // x ⊙ y = x + y + x·y
  check(histogram_program("\\(p: f64, q: f64) -> [f64] { s: f64 = mul.f64 p q"
                          "  t: f64 = add.f64 p q u: f64 = add.f64 s t return u }",
                          "0.0f64"),
        arguments);
}

TEST_CASE("a histogram product with zeros") {
  check(histogram_program("\\(p: f64, q: f64) -> [f64] { s: f64 = mul.f64 p q return s }",
                          "1.0f64"),
        {integer(5), vector({0.5, -1, 2, 1.5, 3}), integers({0, 1, 0, 7, 2}),
         vector({0, 2, 3})});
}

TEST_CASE("a scatter") {
  check("function f (n: i64, xs: [n]f64, is: [n]i64, d: [4]f64) -> [[4]f64] {"
        " e: [4]f64 = copy d"
        " h: [4]f64 = scatter n [is, xs] map \\(i: i64, x: f64) -> [i64, f64] {"
        "  y: f64 = mul.f64 x x return i, y } targets [([4] e)] return h }",
        {integer(3), vector({0.5, -1, 2}), integers({3, 9, 1}), vector({1, 2, 3, 4})});
}

TEST_CASE("views, copies and literals") {
  check("function f (a: [2][3]f64, x: f64) -> [[3][2]f64, [6]f64, [5]f64, [2][2]f64, f64] {"
        " t: [3][2]f64 = permute a [1, 0]"
        " r: [6]f64 = reshape t [6]"
        " l: [3]f64 = array f64 [x, 2.0f64, x]"
        " s: [2]f64 = slice r [4 : 2 : -3]"
        " c: [5]f64 = concat 5 [l, s]"
        " p: [2][2]f64 = replicate [2] s"
        " i: f64 = index a [1, 2]"
        " y: f64 = mul.f64 i x"
        " return t, r, c, p, y }",
        {matrix(2, 3, {1, 2, 3, 4, 5, 6}), scalar(0.5)});
}

TEST_CASE("updates of an element and of a part") {
  check("function f (a: [4]f64, x: f64, v: [2]f64) -> [[4]f64, f64] {"
        " b: [4]f64 = copy a  y: f64 = mul.f64 x x"
        " c: [4]f64 = update b [1] y"
        " g: f64 = index c [0]"
        " d: [4]f64 = update c [1 : 2 : 2] v"
        " h: f64 = mul.f64 g y"
        " return d, h }",
        {vector({1, 2, 3, 4}), scalar(0.5), vector({7, 8})});
}

TEST_CASE("a custom derivative is used in reverse and ignored forward") {
  const auto program = program_of(
      "function f (x: f64) -> [f64] {"
      " y: f64 = custom_derivative function \\(a: f64) -> [f64] { b: f64 = mul.f64 a a return b }"
      " adjoint \\(r: f64, s: f64) -> [f64] { return 42.0f64 } arguments [x] return y }");
  CHECK(number(vjp(program, {scalar(3)}, {scalar(1)})[0]) == 42);
  CHECK(number(jvp(program, {scalar(3)}, {scalar(1)})[0]) == 6);
}

TEST_CASE("a recursive function") {
  check("function f (x: f64) -> [f64] { y: f64 = call \"g\" [x, 3] [f64] return y }"
        "function g (a: f64, n: i64) -> [f64] {"
        " p: bool = sle.i64 n 0"
        " r: f64 = branch p then_body { s: f64 = sin.f64 a return s } else_body {"
        "  m: i64 = sub.i64 n 1  b: f64 = mul.f64 a a  c: f64 = call \"g\" [b, m] [f64]"
        "  d: f64 = mul.f64 c a return d } result_types [f64]"
        " return r }",
        {scalar(0.9)}, {});
}

const std::string tree =
    "function g (a: f64, n: i64) -> [f64] {"
    " p: bool = sle.i64 n 0"
    " r: f64 = branch p then_body { s: f64 = sin.f64 a return s } else_body {"
    "  m: i64 = sub.i64 n 1  fs: [2]f64 = array f64 [0.5f64, 0.75f64]"
    "  c: f64 = map_scan_reduce 2 [fs] map \\(k: f64) -> [f64] {"
    "   b: f64 = mul.f64 a k  d: f64 = call \"g\" [b, m] [f64] return d } reductions ["
    "   (op \\(u: f64, v: f64) -> [f64] { w: f64 = add.f64 u v return w } neutral [0.0f64])]"
    "  return c } result_types [f64]"
    " return r }";

TEST_CASE("a recursive function that calls itself in a map") {
  check("function f (x: f64) -> [f64] { y: f64 = call \"g\" [x, 3] [f64] return y }" + tree,
        {scalar(0.9)});
}

TEST_CASE("an accumulation by products beside a scan") {
  check(
      "function f (n: i64, xs: [n]f64, is: [n]i64) -> [[3]f64, [n]f64] {"
      " start: [3]f64 = replicate [3] 1.5f64"
      " h: [3]f64, ys: [n]f64 = with_accumulator inputs [([3] start op"
      "  \\(p: f64, q: f64) -> [f64] { s: f64 = mul.f64 p q return s } neutral [1.0f64])]"
      "  body \\(acc: acc [3]f64) -> [acc [3]f64, [n]f64] {"
      "   zs: [n]f64, last: acc [3]f64 = map_scan_reduce n [xs, is, acc]"
      "    map \\(x: f64, i: i64, a: acc [3]f64) -> [f64, acc [3]f64] {"
      "     y: f64 = sin.f64 x  b: acc [3]f64 = accumulate a [i] y return x, b }"
      "    scans [(op \\(u: f64, v: f64) -> [f64] { w: f64 = add.f64 u v return w } neutral "
      "[0.0f64])]"
      "   return last, zs }"
      " return h, ys }",
      {integer(4), vector({0.5, -0.25, 2, 1.5}), integers({0, 2, 0, 5})});
}

}  // namespace
}  // namespace dagaz::ad_test
