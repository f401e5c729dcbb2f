// The interpreter on small programs, one group of operations at a time.
#include <doctest/doctest.h>

#include <string>

#include "ir/interpret.h"
#include "ir/parse.h"

namespace dagaz::ir {
namespace {

/// Runs `f` of `source` and writes its integer results as text; arrays in brackets, flat.
std::string run(const std::string& source, std::vector<Value> arguments = {}) {
  SourceFiles files;
  Diagnostics diagnostics;
  const FileId file = files.add("test.ir", source);
  const auto program = parse(file, files, diagnostics);
  if (!program) return render(diagnostics.all().front(), files, RenderStyle::plain);
  const auto results = interpret(*program, "f", std::move(arguments));
  if (const auto* error = std::get_if<RuntimeError>(&results)) return "error: " + error->message;
  std::string text;
  for (const Value& value : std::get<0>(results)) {
    if (!text.empty()) text += " ";
    if (!value.shape.empty()) text += "[";
    for (std::size_t i = 0; i < value.elements.size(); ++i) {
      if (i != 0) text += " ";
      text += std::to_string(integer_value({value.element, value.elements[i]}));
    }
    if (!value.shape.empty()) text += "]";
  }
  return text;
}

TEST_CASE("views and updates") {
  CHECK(run("function f () -> [i64, [2]i64, [4]i64, [2][2]i64] {"
            " xs: [4]i64 = iota i64 4 10 1"
            " x: i64 = index xs [2]"
            " s: [2]i64 = slice xs [3 : 2 : -2]"
            " m: [2][2]i64 = reshape xs [2, 2]"
            " p: [2][2]i64 = permute m [1, 0]"
            " ys: [4]i64 = update xs [1] 7"
            " return x, s, ys, p }") == "12 [13 11] [10 7 12 13] [10 12 11 13]");
}

TEST_CASE("loops and branches") {
  CHECK(run("function f () -> [i64, i64] {"
            " x: i64 = loop values [a: i64 = 0] form for i: i64 < 5 body {"
            "   b: i64 = add.i64 a i return b }"
            " c: bool = slt.i64 x 10"
            " y: i64 = branch c then_body { return 1 } else_body { return 2 } result_types [i64]"
            " return x, y }") == "10 2");
}

TEST_CASE("an array that something else reads is not updated in place") {
  CHECK(run("function f () -> [i64, [3]i64, [3]i64, [3]i64] {"
            " xs: [3]i64 = iota i64 3 0 1"
            " rest: [3]i64 = copy xs"
            " ys: [3]i64 = loop values [a: [3]i64 = xs] form for i: i64 < 3 body {"
            "   c: bool = slt.i64 i 2"
            "   b: [3]i64 = branch c then_body { u: [3]i64 = update a [i] 7 return u }"
            "     else_body { return a } result_types [[3]i64]"
            "   return b }"
            " zs: [3]i64 = identity rest"
            " us: [3]i64 = update rest [0] 9"
            " x: i64 = index zs [0]"
            " return x, ys, zs, us }") == "0 [7 7 2] [0 1 2] [9 1 2]");
}

TEST_CASE("an update of a row leaves the array as it is") {
  CHECK(run("function f () -> [[4]i64, [2][2]i64] {"
            " xs: [4]i64 = iota i64 4 0 1"
            " m: [2][2]i64 = reshape xs [2, 2]"
            " ms: [2][2]i64 = map_scan_reduce 2 [m] map \\(row: [2]i64) -> [[2]i64] {"
            "   own: [2]i64 = copy row"
            "   changed: [2]i64 = update own [0] 8"
            "   return changed }"
            " return xs, ms }") == "[0 1 2 3] [8 1 8 3]");
}

TEST_CASE("recursion keeps the caller's values") {
  CHECK(run("function f () -> [i64] { x: i64 = call \"g\" [5] [i64] return x }"
            "function g (n: i64) -> [i64] {"
            " c: bool = sle.i64 n 1"
            " r: i64 = branch c then_body { return 1 } else_body {"
            "   m: i64 = sub.i64 n 1"
            "   s: i64 = call \"g\" [m] [i64]"
            "   t: i64 = mul.i64 n s return t } result_types [i64]"
            " return r }") == "120");
}

TEST_CASE("map, scan, reduce and post in one operation") {
  CHECK(run("function f () -> [i64, [4]i64] {"
            " xs: [4]i64 = iota i64 4 1 1"
            " r: i64, ys: [4]i64 = map_scan_reduce 4 [xs]"
            "  map \\(x: i64) -> [i64, i64, i64] { return x, x, x }"
            "  scans [(op \\(a: i64, b: i64) -> [i64] { c: i64 = add.i64 a b return c }"
            "          neutral [0])]"
            "  reductions [(op \\(d: i64, e: i64) -> [i64] { g: i64 = mul.i64 d e return g }"
            "          neutral [1])]"
            "  post \\(s: i64, m: i64) -> [i64] { p: i64 = mul.i64 s m return p }"
            " return r, ys }") == "24 [1 6 18 40]");
}

TEST_CASE("writes outside the destination are ignored") {
  CHECK(run("function f () -> [[3]i64, [3]i64, [3]i64] {"
            " is: [4]i64 = array i64 [2, 0, 5, 2]"
            " z1: [3]i64 = replicate [3] 0"
            " z2: [3]i64 = replicate [3] 0"
            " z3: [3]i64 = replicate [3] 0"
            " h: [3]i64 = histogram 4 [is] map \\(i: i64) -> [i64, i64] { return i, 1 }"
            "   operators [([3] [z1] [0] op \\(a: i64, b: i64) -> [i64] {"
            "     c: i64 = add.i64 a b return c })]"
            " s: [3]i64 = scatter 4 [is] map \\(j: i64) -> [i64, i64] { return j, j }"
            "   targets [([3] z2)]"
            " w: [3]i64 = with_accumulator inputs [([3] z3 op \\(d: i64, e: i64) -> [i64] {"
            "     g: i64 = add.i64 d e return g } neutral [0])]"
            "   body \\(acc: acc [3]i64) -> [acc [3]i64] {"
            "     acc2: acc [3]i64 = map_scan_reduce 4 [is, acc]"
            "       map \\(k: i64, acc3: acc [3]i64) -> [acc [3]i64] {"
            "         acc4: acc [3]i64 = accumulate acc3 [k] 10 return acc4 }"
            "     return acc2 }"
            " return h, s, w }") == "[1 0 2] [0 0 2] [10 0 20]");
}

TEST_CASE("segments of flatmap are concatenated") {
  CHECK(run("function f () -> [i64, [3]i64, [3]i64] {"
            " ns: [3]i64 = array i64 [2, 0, 1]"
            " t: i64, sizes: [3]i64, starts: [3]i64, xs: [t]i64 = flatmap 3 [ns]"
            "   map \\(n: i64) -> [i64, [0]i64] { is: [n]i64 = iota i64 n 7 1 return n, is }"
            "   varying 1"
            " return t, starts, xs }") == "3 [0 2 2] [7 8 7]");
}

TEST_CASE("segmented operations run along the innermost dimension") {
  CHECK(run("function f () -> [[2]i64, [2][3]i64] {"
            " r: [2]i64, xs: [2][3]i64 = segmented_reduce space [i: i64 < 2, j: i64 < 3]"
            "   body { x: i64 = add.i64 i j return x, x }"
            "   operators [(op \\(a: i64, b: i64) -> [i64] { c: i64 = add.i64 a b return c }"
            "              neutral [0])] result_types [i64, i64]"
            " return r, xs }") == "[3 6] [0 1 2 1 2 3]");
}

TEST_CASE("a failed assert stops the program with its message") {
  CHECK(run("function f () -> [] {"
            " t: token = assert false \"index {} of {}\" [3, 2]"
            " return }") == "error: index 3 of 2");
}

TEST_CASE("what is traced is told in order, each time") {
  SourceFiles files;
  Diagnostics diagnostics;
  const auto program = parse(
      files.add("test.ir",
                "function \"trace all: []i64@0 ([]i64)\" (n: i64, a: [n]i64) -> [] { return }"
                "function \"trace one: i64@0 (i64)\" (b: i64) -> [] { return }"
                "function f () -> [] {"
                " xs: [2]i64 = array i64 [5, 6]"
                " = call \"trace all: []i64@0 ([]i64)\" [2, xs] []"
                " ys: [2]i64 = map_scan_reduce 2 [xs] map \\(x: i64) -> [i64] {"
                "   = call \"trace one: i64@0 (i64)\" [x] [] return x }"
                " return }"),
      files, diagnostics);
  REQUIRE(program.has_value());
  std::string told;
  interpret(*program, "f", {}, [&](const Traced& traced, const std::vector<Value>& leaves) {
    told += traced.label + "|" + traced.type;
    for (const std::uint64_t bits : leaves.at(0).elements) told += " " + std::to_string(bits);
    told += "\n";
  });
  CHECK(told == "all|[]i64@0 5 6\none|i64@0 5\none|i64@0 6\n");
}

}  // namespace
}  // namespace dagaz::ir
