// Derivatives of loops and branches.
#include <doctest/doctest.h>

#include "derivative_check.h"

namespace dagaz::ad_test {
namespace {

void check(const std::string& source, const std::vector<ir::Value>& arguments,
           const DerivativeOptions& options = {.second_order = true}) {
  CHECK(derivative_fault(program_of(source), arguments, options) == "");
}

std::string power_loop(const std::string& attributes) {
  return "function f (n: i64, x: f64, c: f64) -> [f64] {"
         " y: f64 = loop values [a: f64 = x] form for i: i64 < n body {"
         "  b: f64 = mul.f64 a c  d: f64 = sin.f64 b  e: f64 = add.f64 d x return e }" +
         attributes + " return y }";
}

TEST_CASE("a loop over a scalar") {
  check(power_loop(""), {integer(5), scalar(0.7), scalar(1.1)});
  check(power_loop(""), {integer(0), scalar(0.7), scalar(1.1)});
}

TEST_CASE("a strip-mined loop") {
  check(power_loop(" attributes (2)"), {integer(5), scalar(0.7), scalar(1.1)});
  check(power_loop(" attributes (3)"), {integer(11), scalar(0.7), scalar(1.1)}, {});
  check(power_loop(" attributes (2)"), {integer(0), scalar(0.7), scalar(1.1)}, {});
}

TEST_CASE("a strip-mined loop has the derivatives of the plain one") {
  const std::vector<ir::Value> arguments = {integer(11), scalar(0.7), scalar(1.1)};
  const auto plain = vjp(program_of(power_loop("")), arguments, {scalar(1.5)});
  for (const std::string depth : {"2", "3", "4"}) {
    const auto program = program_of(power_loop(" attributes (" + depth + ")"));
    CHECK(vjp(program, arguments, {scalar(1.5)}) == plain);
  }
}

std::string while_loop(const std::string& attributes) {
  return "function f (x: f64, c: f64) -> [f64, i64] {"
         " p0: bool = flt.f64 x 100.0f64"
         " p: bool, y: f64, k: i64 = loop values [q: bool = p0, a: f64 = x, j: i64 = 0]"
         " form while q body {"
         "  b: f64 = mul.f64 a c  j2: i64 = add.i64 j 1  q2: bool = flt.f64 b 10.0f64"
         "  return q2, b, j2 }" + attributes + " return y, k }";
}

TEST_CASE("while loops") {
  check(while_loop(""), {scalar(0.7), scalar(1.7)});
  check(while_loop(" attributes (0 bound 12)"), {scalar(0.7), scalar(1.7)});
  check(while_loop(""), {scalar(170), scalar(1.7)});
}

std::string in_place_loop(const std::string& attributes) {
  return "function f (n: i64, xs: [n]f64, c: f64) -> [[n]f64] {"
         " a: [n]f64 = copy xs  m: i64 = sub.i64 n 1"
         " ys: [n]f64 = loop values [b: [n]f64 = a] form for i: i64 < m body {"
         "  j: i64 = add.i64 i 1"
         "  u: f64 = index b [i]  v: f64 = index b [j]  w: f64 = mul.f64 u v"
         "  t: f64 = mul.f64 w c"
         "  d: [n]f64 = update b [j] t  return d }" + attributes + " return ys }";
}

TEST_CASE("a loop that updates an array in place") {
  check(in_place_loop(""), {integer(4), vector({1, 0.5, 2, 1.5}), scalar(0.9)});
}

// Rows of one array, in two loops; `between` uses the array in the outer one.
std::string nested_loops_over_rows(const std::string& between, const std::string& attributes) {
  return "function f (n: i64, xs: [n][2]f64, c: f64) -> [[n][2]f64, f64] {"
         " own: [n][2]f64 = copy xs"
         " s: f64, ys: [n][2]f64 = loop values [s1: f64 = c, r: [n][2]f64 = own] form for t: i64 < "
         "3 body {"
         "  z: f64 = index r [1, 0]" +
         between +
         "  s2: f64, q: [n][2]f64 = loop values [u: f64 = z2, r2: [n][2]f64 = r] form for i: i64 < "
         "n body {"
         "   row: [2]f64 = index r2 [i]"
         "   new: [2]f64 = map_scan_reduce 2 [row] map \\(x: f64) -> [f64] {"
         "    p: f64 = mul.f64 x u  v: f64 = sin.f64 p  return v }"
         "   w: f64 = index new [1]  u2: f64 = add.f64 w u"
         "   r3: [n][2]f64 = update r2 [i, 0 : 2 : 1] new  return u2, r3 }" +
         attributes + "  e: f64 = index q [0, 1]  s3: f64 = mul.f64 s2 e  return s3, q }" +
         attributes + " return ys, s }";
}

TEST_CASE("loops that update rows of one array") {
  const std::vector<ir::Value> arguments = {integer(3), matrix(3, 2, {0.4, 1, 0.5, 2, 1.5, -0.3}),
                                            scalar(0.9)};
  const std::string reads = "  z2: f64 = mul.f64 z s1";
  const std::string reads_all =
      "  sums: [n]f64 = map_scan_reduce n [r] map \\(row0: [2]f64) -> [f64] {"
      "   a: f64 = index row0 [0]  b: f64 = index row0 [1]  d: f64 = mul.f64 a b  return d }"
      "  z1: f64 = index sums [2]  z2: f64 = mul.f64 z1 s1";
  for (const std::string attributes :
       {"", " attributes (1)", " attributes (2)", " attributes (-1)"}) {
    check(nested_loops_over_rows(reads, attributes), arguments);
    check(nested_loops_over_rows(reads_all, attributes), arguments);
  }
}

TEST_CASE("a loop that keeps all that it computes") {
  check("function f (n: i64, xs: [n]f64, c: f64) -> [[n]f64] {"
        " ys: [n]f64 = loop values [a: [n]f64 = xs] form for i: i64 < 3 body {"
        "  b: [n]f64 = map_scan_reduce n [a] map \\(x: f64) -> [f64] {"
        "   p: f64 = mul.f64 x c  q: f64 = sin.f64 p return q }"
        "  t: f64 = index b [i]  e: f64 = exp.f64 t"
        "  g: [n]f64 = update b [i] e"
        "  d: [n]f64 = map_scan_reduce n [g] map \\(y: f64) -> [f64] {"
        "   u: f64 = mul.f64 y e  v: f64 = cos.f64 u return v }"
        "  return d } attributes (-1)"
        " return ys }",
        {integer(4), vector({1, 0.5, 2, 1.5}), scalar(0.9)});
}

TEST_CASE("a loop that keeps what its maps compute inside") {
  check("function f (n: i64, m: i64, xs: [n][2]f64, ws: [m][2]f64) -> [[n][2]f64] {"
        " ys: [n][2]f64 = loop values [a: [n][2]f64 = xs] form for i: i64 < 3 body {"
        "  b: [n][2]f64 = map_scan_reduce n [a] map \\(row: [2]f64) -> [[2]f64] {"
        "   products: [m]f64 = map_scan_reduce m [ws] map \\(w: [2]f64) -> [f64] {"
        "    dot: f64 = map_scan_reduce 2 [row, w] map \\(p: f64, q: f64) -> [f64] {"
        "     r: f64 = mul.f64 p q return r } reductions [(op \\(s: f64, t: f64) -> [f64] {"
        "     u: f64 = add.f64 s t return u } neutral [0.0f64])]"
        "    e: f64 = tanh.f64 dot  g: f64 = mul.f64 e dot  return g }"
        "   z: f64 = index products [1]"
        "   new: [2]f64 = map_scan_reduce 2 [row] map \\(x: f64) -> [f64] {"
        "    c: f64 = mul.f64 x z  d: f64 = exp.f64 c  h: f64 = sin.f64 d return h }"
        "   return new }"
        "  return b } attributes (-1)"
        " return ys }",
        {integer(2), integer(3), matrix(2, 2, {0.4, 1, 0.5, -0.3}),
         matrix(3, 2, {0.1, 0.7, 0.2, -0.4, 1, 0.3})});
}

TEST_CASE("a loop that writes each element once, from those before") {
  // An element is read before it is written nowhere.
  check("function f (n: i64, xs: [n]f64) -> [[n]f64] {"
        " e: [n]f64 = replicate [n] 1.0f64"
        " ys: [n]f64 = loop values [b: [n]f64 = e] form for i: i64 < n body {"
        "  k: i64 = sub.i64 i 1  j: i64 = smax.i64 k 0  first: bool = eq.i64 i 0"
        "  u0: f64 = index b [j]  u: f64 = select.f64 first 1.0f64 u0"
        "  v: f64 = index xs [i]  w: f64 = mul.f64 u v"
        "  t: f64 = sin.f64 w  d: [n]f64 = update b [i] t  return d }"
        " attributes (0 true_dependence [true]) return ys }",
        {integer(4), vector({1, 0.5, 2, 1.5})}, {});
}

TEST_CASE("a loop with maps inside and an array from outside") {
  check("function f (n: i64, xs: [n]f64, ys: [n]f64) -> [[n]f64] {"
        " zs: [n]f64 = loop values [a: [n]f64 = xs] form for i: i64 < 3 body {"
        "  b: [n]f64 = map_scan_reduce n [a, ys] map \\(x: f64, y: f64) -> [f64] {"
        "   p: f64 = mul.f64 x y  q: f64 = add.f64 p x return q }"
        "  return b }"
        " return zs }",
        {integer(3), vector({1, 0.5, 2}), vector({0.1, 0.2, -0.3})});
}

TEST_CASE("a loop whose array grows") {
  check("function f (x: f64, c: f64) -> [f64] {"
        " e: [1]f64 = array f64 [x]"
        " m: i64, zs: [m]f64 = loop values [k: i64 = 1, a: [k]f64 = e] form for i: i64 < 3 body {"
        "  l: i64 = add.i64 k 1  u: f64 = index a [i]  v: f64 = mul.f64 u c"
        "  w: [1]f64 = array f64 [v]  b: [l]f64 = concat l [a, w]  return l, b }"
        " r: f64 = map_scan_reduce m [zs] map \\(z: f64) -> [f64] { return z } reductions ["
        "(op \\(p: f64, q: f64) -> [f64] { s: f64 = add.f64 p q return s } neutral [0.0f64])]"
        " return r }",
        {scalar(0.5), scalar(1.25)}, {});
}

TEST_CASE("a loop inside a loop") {
  check("function f (x: f64, c: f64) -> [f64] {"
        " y: f64 = loop values [a: f64 = x] form for i: i64 < 3 body {"
        "  z: f64 = loop values [b: f64 = a] form for j: i64 < i body {"
        "   d: f64 = mul.f64 b c  e: f64 = sin.f64 d return e }"
        "  g: f64 = add.f64 z a  return g }"
        " return y }",
        {scalar(0.5), scalar(1.25)});
}

TEST_CASE("a branch with arrays") {
  check("function f (n: i64, flag: bool, xs: [n]f64, c: f64) -> [[n]f64] {"
        " s: [n]f64 = map_scan_reduce n [xs] map \\(x: f64) -> [f64] {"
        "  y: f64 = mul.f64 x c return y }"
        " r: [n]f64 = branch flag then_body {"
        "  t: [n]f64 = map_scan_reduce n [xs, s] map \\(u: f64, v: f64) -> [f64] {"
        "   w: f64 = mul.f64 u v return w } return t }"
        " else_body { return s } result_types [[n]f64]"
        " return r }",
        {integer(3), ir::Value{ir::ScalarType::boolean, {}, {1}}, vector({1, 2, 3}), scalar(2)});
}

TEST_CASE("a loop inside a map over rows") {
  check("function f (n: i64, xs: [n][2]f64, ys: [2]f64) -> [[n]f64] {"
        " r: [n]f64 = map_scan_reduce n [xs] map \\(row: [2]f64) -> [f64] {"
        "  a: f64 = loop values [b: f64 = 1.0f64] form for i: i64 < 2 body {"
        "   u: f64 = index row [i]  v: f64 = index ys [i]  p: f64 = mul.f64 u v"
        "   q: f64 = mul.f64 b p  return q }"
        "  return a }"
        " return r }",
        {integer(2), matrix(2, 2, {1, 0.5, 2, -1}), vector({0.3, 0.7})});
}

}  // namespace
}  // namespace dagaz::ad_test
