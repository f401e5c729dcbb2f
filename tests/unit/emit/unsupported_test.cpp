// What no rule covers is found before anything is emitted.
#include "emit/unsupported.h"

#include <doctest/doctest.h>

#include <string>

#include "ir/parse.h"

namespace dagaz::emit {
namespace {

std::optional<Unsupported> problem_of(const std::string& body) {
  SourceFiles files;
  Diagnostics diagnostics;
  const std::string text = "function main () -> [[2][3]i64] {" + body + "}";
  auto program = ir::parse(files.add("rows.ir", text), files, diagnostics);
  REQUIRE(program.has_value());
  ir::EntryPoint entry;
  entry.function = "main";
  program->entries = {entry};
  return find_unsupported(*program);
}

/// Accumulates a row, with an operator whose body this is.
std::string accumulates_rows(const std::string& op) {
  return " z: [2][3]i64 = replicate [2, 3] 1"
         " n: [3]i64 = replicate [3] 1"
         " h: [2][3]i64 = with_accumulator inputs"
         " [([2] z op \\(a: [3]i64, b: [3]i64) -> [[3]i64] {" + op + "} neutral [n])]"
         " body \\(acc: acc [2][3]i64) -> [acc [2][3]i64] {"
         "   w: [3]i64 = iota i64 3 1 1"
         "   r: acc [2][3]i64 = accumulate acc [1] w"
         "   return r }"
         " return h";
}

TEST_CASE("rows are accumulated element by element, or not at all") {
  CHECK_FALSE(problem_of(accumulates_rows(
      " c: [3]i64 = map_scan_reduce 3 [a, b] map \\(p: i64, q: i64) -> [i64] {"
      "   s: i64 = mul.i64 p q return s } return c ")));
  const auto problem = problem_of(accumulates_rows(" c: [3]i64 = copy b return c "));
  REQUIRE(problem.has_value());
  CHECK(problem->what == "accumulating rows with an operator that is not element by element");
}

TEST_CASE("what was not flattened is refused") {
  const auto problem = problem_of(
      " xs: [3]i64 = iota i64 3 0 1"
      " ys: [3]i64 = map_scan_reduce 3 [xs] map \\(x: i64) -> [i64] {"
      "   y: i64 = add.i64 x 1 return y }"
      " zs: [2][3]i64 = replicate [2] ys return zs");
  REQUIRE(problem.has_value());
  CHECK(problem->what == "a parallel operation that was not flattened");
}

}  // namespace
}  // namespace dagaz::emit
