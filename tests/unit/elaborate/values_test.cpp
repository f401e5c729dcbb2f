// Programs keep their meaning: what they compute after elaboration, one group for each part.
#include <doctest/doctest.h>

#include "elaborated.h"

using dagaz::test::result_of;

TEST_CASE("functions are values while compiling") {
  CHECK(result_of("def twice 'a (f: a -> a) x = f (f x)\n"
                  "entry main : i64 = twice (twice (+ 3)) 1") == "13");
  CHECK(result_of("entry main : i64 = let add x y = x + y : i64 let f = add 2 in f 5") == "7");
  CHECK(result_of("entry main = let r = {f = \\x -> x * 2, n = 4i64} in r.f r.n") == "8");
  CHECK(result_of("type^ choice = #left (i64 -> i64) | #right i64\n"
                  "entry main : i64 = match (#left (\\x -> x - 1) : choice)\n"
                  "  case #left f -> f 10\n"
                  "  case #right n -> n") == "9");
  CHECK(result_of("entry main = map (.1) [(1i64, 2i64), (3, 4)]") == "[2, 4]");
  CHECK(result_of("entry main = map (.[1]) [[1i64, 2], [3, 4]]") == "[2, 4]");
}

TEST_CASE("polymorphic values have the types and sizes of each use") {
  CHECK(result_of("def pair 'a 'b (x: a) (y: b) = (y, x)\n"
                  "entry main = pair 1i64 (pair true 2i64)") == "2 true 1");
  CHECK(result_of("def indices_of [n] 't (_: [n]t) = iota n\n"
                  "entry main = indices_of [(), (), ()]") == "[0, 1, 2]");
  CHECK(result_of("def none [n] : [n]i64 = replicate n 7\n"
                  "entry main : [2]i64 = none") == "[7, 7]");
}

TEST_CASE("sizes that the data decides are results") {
  CHECK(result_of("entry main = filter (> 2) [1i64, 5, 2, 4]") == "[5, 4]");
  CHECK(result_of("entry main (n: i64) = if n > 2 then iota n else filter (> 1) [1, 2]", {3}) ==
        "[0, 1, 2]");
  CHECK(result_of("entry main (n: i64) = if n > 2 then iota n else filter (> 1) [1, 2]", {0}) ==
        "[2]");
  CHECK(result_of("entry main (n: i64) = loop xs = [1i64] for i < n do xs ++ [i]", {3}) ==
        "[1, 0, 1, 2]");
  CHECK(result_of("entry main (n: i64) =\n"
                  "  let (a, b) = partition (< 2) (iota n) in (length a, b)",
                  {5}) == "2 [2, 3, 4]");
  CHECK(result_of("entry main = let (_, _, _, data, _) =\n"
                  "  flatmap (\\(n, _) -> (iota n, ()))\n"
                  "          [(1i64, ()), (0, ()), (3, ())] in data") == "[0, 0, 1, 2]");
}

TEST_CASE("records and sums are taken apart and put together") {
  CHECK(result_of("entry main = let r = {a = (1i64, [2i64, 3]), b = true}\n"
                  "  let r.a.1[0] = 9 in r") == "1 [9, 3] true");
  CHECK(result_of("entry main = let xs = [{k = 1i64, v = 2i64}, {k = 3, v = 4}]\n"
                  "  in (xs with [1].v = 7)[1]") == "3 7");
  CHECK(result_of("def f (x: #num i64 | #both (i64, i64) | #none) : i64 = match x\n"
                  "  case #num 0 -> 100\n"
                  "  case #num n -> n\n"
                  "  case #both (a, b) -> a + b\n"
                  "  case #none -> 0\n"
                  "entry main = map f [#num 0, #num 5, #both (3, 4), #none]") == "[100, 5, 7, 0]");
  CHECK(result_of("entry main = ([(1i64, [2i64])] == [(1, [2])], #a 1i64 == (#a 2 : #a i64 | #b))")
        == "true false");
}

TEST_CASE("loops carry what their pattern names") {
  CHECK(result_of("entry main (n: i64) = loop (a, b) = (0i64, 1i64) for _i < n do (b, a + b)",
                  {10}) == "55 89");
  CHECK(result_of("entry main (n: i64) = loop x = n while x > 10 do x / 2", {100}) == "6");
  CHECK(result_of("entry main = loop s = 0i64 for x in [1i64, 2, 3] do s * 10 + x") == "123");
  CHECK(result_of("entry main = loop s = 0i64 for i < 200u8 do s + i64.u8 i") == "19900");
}

TEST_CASE("recursive functions become functions of the IR") {
  const std::string power = "def power (f: i64 -> i64) (n: i64) (x: i64) : i64 =\n"
                            "  if n == 0 then x else power f (n - 1) (f x)\n";
  CHECK(result_of(power + "entry main (k: i64) = power (+ k) 3 1", {5}) == "16");
  CHECK(result_of(power + "entry main (k: i64) = map (\\y -> power (* y) 2 k) [1i64, 2]", {5}) ==
        "[5, 20]");
  CHECK(result_of("def halves [n] (xs: [n]i64) : i64 =\n"
                  "  if n <= 1 then i64.sum xs else 1 + halves xs[:n / 2] + halves xs[n / 2:]\n"
                  "entry main = halves [1, 2, 3, 4]") == "13");
}

TEST_CASE("parametric modules are evaluated for each application") {
  const std::string text =
      "module type number = {type t val one : t val add : t -> t -> t}\n"
      "module twice (P: number) = {def two = P.add P.one P.one type t = P.t}\n"
      "module ints = twice {type t = i64 def one = 1i64 def add = (i64.+)}\n"
      "module reals = twice {type t = f64 def one = 1.5 def add (x: f64) y = x + y}\n";
  CHECK(result_of(text + "entry main = (ints.two, reals.two)") == "2 3");
  CHECK(result_of("module pick (A: {type t}) (B: {val x : A.t}) = {def x = B.x}\n"
                  "module m = pick {type t = i64} {def x = 4i64}\n"
                  "entry main = m.x") == "4");
}

TEST_CASE("a shared array is copied before it is consumed") {
  CHECK(result_of("entry main = let xs = iota 3 let z = zip xs xs\n"
                  "  let y = z with [0] = (7, 8) in (map (.0) y, xs)") == "[7, 1, 2] [0, 1, 2]");
  CHECK(result_of("entry main = let xs = copy (iota 3)\n"
                  "  in (xs with [0] = xs[2]) with [1] = xs[0] + 5") == "[2, 5, 2]");
}

TEST_CASE("iterations write to one array through accumulators") {
  const std::string write =
      "entry main = intrinsics.hist_stream [1i64, 2, 3] (+) 0\n"
      "  (\\(acc: *intrinsics.acc ([3]i64)) (i, v) -> intrinsics.acc_write acc i v)\n"
      "  [(0, 10), (2, 20), (0, 30), (9, 1)]";
  CHECK(result_of(write) == "[41, 2, 23]");
}

TEST_CASE("flat arrays are seen and written through strides") {
  CHECK(result_of("entry main = intrinsics.flat_index_2d (iota 10) 1 2 3 2 1") ==
        "[[1, 2], [4, 5]]");
  CHECK(result_of("entry main = intrinsics.flat_update_2d (iota 6) 5 (-2) (-1) [[7, 8], [9, 10]]")
        == "[0, 1, 10, 9, 8, 7]");
  CHECK(result_of("entry main = intrinsics.flat_index_2d (iota 5) 1 2 3 2 1") ==
        "error: Flat slice from 1 to 5 out of bounds for array of shape [5].");
}

TEST_CASE("reals become unsigned integers by wrapping") {
  CHECK(result_of("entry main = (u8.f64 (-1), u64.f32 (-3.5), u32.f64 f64.inf)") == "-1 -3 0");
}
