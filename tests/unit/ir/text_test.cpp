// The text form: printing what was parsed gives the same text, for every operation.
#include <doctest/doctest.h>

#include <string>

#include "ir/parse.h"
#include "ir/print.h"

namespace dagaz::ir {
namespace {

std::string round_trip(const std::string& source) {
  SourceFiles files;
  Diagnostics diagnostics;
  const FileId file = files.add("test.ir", source);
  const auto program = parse(file, files, diagnostics);
  if (!program) {
    return render(diagnostics.all().front(), files, RenderStyle::plain);
  }
  return print(*program);
}

void check_body(const std::string& statements) {
  const std::string source = "function f () -> [] {\n" + statements + "  return\n}\n";
  CHECK(round_trip(source) == source);
}

TEST_CASE("simple operations come back as they were") {
  check_body(
      "  n_0: i64 = identity 3\n"
      "  x_1: f32 = identity 1.5f32\n"
      "  y_2: f64 = identity -f64.inf\n"
      "  z_3: f16 = identity f16.nan\n"
      "  b_4: bool = slt.i64 n_0 4\n"
      "  c_5: i32 = sign_extend.i64.i32 n_0\n"
      "  xs_6: [2]f32 = array f32 [x_1, 0.1f32]\n"
      "  x_7: f32 = index xs_6 [n_0]\n"
      "  m_8: [n_0][4]f32 = scratch f32 [n_0, 4]\n"
      "  s_9: [2]f32 = slice m_8 [n_0, 0 : 2 : -1]\n"
      "  m_10: [n_0][4]f32 = update m_8 [n_0, 0 : 2 : -1] s_9\n"
      "  is_11: [n_0]i8 = iota i8 n_0 0i8 -1i8\n"
      "  r_12: [2][n_0]i8 = replicate [2] is_11\n"
      "  k_13: [6]i8 = concat 6 [is_11, is_11]\n"
      "  r_14: [3][2]i8 = reshape k_13 [3, 2]\n"
      "  p_15: [2][3]i8 = permute r_14 [1, 0]\n"
      "  q_16: [2][3]i8 = copy p_15\n"
      "  t_17: token = assert b_4 \"index {} out of \\\"bounds\\\"\" [n_0]\n"
      "  x_18: f32 = index xs_6 [0] if [t_17]\n");
}

TEST_CASE("control comes back as it was") {
  check_body(
      "  c_0: bool = identity true\n"
      "  x_1: i64 = branch c_0 then_body {\n"
      "    return 1\n"
      "  } else_body {\n"
      "    return 2\n"
      "  } result_types [i64]\n"
      "  y_2: i64, s_3: i64 = loop values [y_4: i64 = 0, s_5: i64 = x_1] form for i_6: i64 < x_1 "
      "body {\n"
      "    z_7: i64 = add.i64 y_4 i_6\n"
      "    return z_7, s_5\n"
      "  }\n"
      "  w_8: bool = loop values [w_9: bool = c_0] form while w_9 body {\n"
      "    return false\n"
      "  } attributes (4 bound 12 unroll true)\n"
      "  z_10: i64 = call \"g\" [x_1, 3] [i64]\n");
}

TEST_CASE("parallel operations come back as they were") {
  check_body(
      "  xs_0: [8]i64 = iota i64 8 0 1\n"
      "  r_1: i64, ys_2: [8]i64 = map_scan_reduce 8 [xs_0] map \\(x_3: i64) -> [i64, i64] {\n"
      "    return x_3, x_3\n"
      "  } scans [(op \\(a_4: i64, b_5: i64) -> [i64] {\n"
      "    c_6: i64 = add.i64 a_4 b_5\n"
      "    return c_6\n"
      "  } neutral [0])] reductions [(op \\(a_7: i64, b_8: i64) -> [i64] {\n"
      "    return a_7\n"
      "  } neutral [0] commutative true)] post \\(s_9: i64) -> [i64] {\n"
      "    return s_9\n"
      "  } sequential true #[forward]\n"
      "  h_10: [4]i64 = scratch i64 [4]\n"
      "  h_11: [4]i64 = scatter 8 [xs_0] map \\(x_12: i64) -> [i64, i64] {\n"
      "    return x_12, x_12\n"
      "  } targets [([4] h_10)]\n"
      "  h_13: [4]i64 = histogram 8 [xs_0] map \\(x_14: i64) -> [i64, i64] {\n"
      "    return x_14, 1\n"
      "  } operators [([4] [h_11] [0] op \\(a_15: i64, b_16: i64) -> [i64] {\n"
      "    return a_15\n"
      "  })]\n"
      "  h_17: [4]i64 = with_accumulator inputs [([4] h_13)] body "
      "\\(acc_18: acc [4]i64) -> [acc [4]i64] {\n"
      "    acc_19: acc [4]i64 = accumulate acc_18 [1] 2\n"
      "    return acc_19\n"
      "  }\n");
}

TEST_CASE("names without numbers get one") {
  CHECK(round_trip("function f (n: i64) -> [i64] { x_4: i64 = add.i64 n n return x_4 }") ==
        "function f (n_5: i64) -> [i64] {\n  x_4: i64 = add.i64 n_5 n_5\n  return x_4\n}\n");
}

TEST_CASE("mistakes are reported where they are") {
  CHECK(round_trip("function f () -> [] { return x }").find("`x` is used but bound nowhere") !=
        std::string::npos);
  CHECK(round_trip("function f () -> [] {\n x: i64 = frob 1\n return }").find("test.ir:2:11") !=
        std::string::npos);
}

}  // namespace
}  // namespace dagaz::ir
