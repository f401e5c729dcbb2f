// What the verifier accepts and what it finds wrong.
#include <doctest/doctest.h>

#include <string>

#include "ir/parse.h"
#include "ir/verify.h"

namespace dagaz::ir {
namespace {

/// The first violation in `source`; empty if there is none.
std::string first_violation(const std::string& source, Stage stage = Stage::parallel) {
  SourceFiles files;
  Diagnostics diagnostics;
  const FileId file = files.add("test.ir", source);
  const auto program = parse(file, files, diagnostics);
  if (!program) return render(diagnostics.all().front(), files, RenderStyle::plain);
  const auto violations = verify(*program, stage);
  return violations.empty() ? "" : violations.front();
}

bool finds(const std::string& source, const std::string& message) {
  const std::string violation = first_violation(source);
  INFO(violation);
  CHECK(violation.find(message) != std::string::npos);
  return violation.find(message) != std::string::npos;
}

TEST_CASE("a well-formed program has no violations") {
  CHECK(first_violation("function f (n: i64, *xs: [n]f64) -> [[n]f64, f64] {"
                        " ys: [n]f64, s: f64 = loop values [zs: [n]f64 = xs, a: f64 = 0f64]"
                        "   form for i: i64 < n body {"
                        "   x: f64 = index zs [i]"
                        "   b: f64 = add.f64 a x"
                        "   ws: [n]f64 = update zs [i] b"
                        "   return ws, b }"
                        " return ys, s }") == "");
}

TEST_CASE("scoping") {
  finds("function f () -> [i64] { x: i64 = add.i64 y 1  y: i64 = identity 2 return x }",
        "is not in scope");
  finds("function f (n: i64) -> [i64] {"
        " x: i64 = loop values [a: i64 = 0] form for i: i64 < n body { b: i64 = add.i64 a i"
        "   return b } return b }",
        "is not in scope");
}

TEST_CASE("operand types") {
  finds("function f (x: f64) -> [f64] { y: f64 = add.f64 x 1 return y }", "is expected");
  finds("function f (n: i64, xs: [n]i64) -> [i64] { y: i64 = index xs [0, 1] return y }",
        "too many indices");
  finds("function f (n: i64, xs: [n]i64) -> [i64] { r: i64 = map_scan_reduce n [xs]"
        " map \\(x: i64) -> [i64] { return x }"
        " reductions [(op \\(a: i64) -> [i64] { return a } neutral [0])] return r }",
        "number of lambda parameters");
}

TEST_CASE("hints are of dimensions of parameters") {
  const std::string function = "function f (n: i64, xs: [n]f64) -> [[n]f64] { return xs }";
  CHECK(first_violation("entry \"f\" \"\" \"f\" 1 0 hints [(1 0 false)] " + function) == "");
  finds("entry \"f\" \"\" \"f\" 1 0 hints [(1 1 false)] " + function, "a hint of no dimension");
  finds("entry \"f\" \"\" \"f\" 1 0 hints [(7 0 true)] " + function, "a hint of no dimension");
}

TEST_CASE("result types") {
  finds("function f (n: i64) -> [i64] { x: f64 = add.i64 n 1 return n }", "should have type i64");
}

TEST_CASE("consumption") {
  finds("function f (*xs: [4]i64) -> [i64] { ys: [4]i64 = update xs [0] 1"
        " x: i64 = index xs [0] return x }",
        "used after it was consumed");
  finds("function f (*xs: [4]i64) -> [i64] { vs: [2][2]i64 = reshape xs [2, 2]"
        " ys: [4]i64 = update xs [0] 1"
        " x: i64 = index vs [0, 0] return x }",
        "used after it was consumed");
  finds("function f (n: i64, *xs: [4]i64) -> [[n]i64] {"
        " is: [n]i64 = iota i64 n 0 1"
        " ys: [n]i64 = map_scan_reduce n [is] map \\(i: i64) -> [i64] {"
        "   zs: [4]i64 = update xs [0] i  z: i64 = index zs [1] return z } return ys }",
        "used after it was consumed");
}

TEST_CASE("stages") {
  const std::string segmented =
      "function f () -> [[2]i64] { xs: [2]i64 = segmented_map space [i: i64 < 2]"
      " body { return i } result_types [i64] return xs }";
  CHECK(first_violation(segmented, Stage::flat) == "");
  finds(segmented, "not legal at this stage");
}

}  // namespace
}  // namespace dagaz::ir
