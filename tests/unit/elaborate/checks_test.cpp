// What goes wrong at run time is said as the language says it; what is known to be right is not
// checked.
#include <doctest/doctest.h>

#include "elaborated.h"

using dagaz::test::count;
using dagaz::test::elaborated;
using dagaz::test::result_of;

TEST_CASE("failed checks say what was asked of what") {
  CHECK(result_of("entry main (i: i64) = (iota 5)[i]", {7}) ==
        "error: Index [7] out of bounds for array of shape [5].");
  CHECK(result_of("entry main (i: i64) = (iota 5)[i:2]", {3}) ==
        "error: Index [3:2] out of bounds for array of shape [5].");
  CHECK(result_of("entry main (i: i64) = (replicate 2 (iota 5))[1, i]", {-1}) ==
        "error: Index [1, -1] out of bounds for array of shape [2][5].");
  CHECK(result_of("entry main (n: i64) = 0i64..2..<n", {-1}) ==
        "error: Range 0..2..<-1 is invalid.");
  CHECK(result_of("entry main (n: i64) = length (iota n)", {-2}) ==
        "error: Range 0..1..<-2 is invalid.");
  CHECK(result_of("entry main (n: i64) = 5 / n", {0}) == "error: division by zero");
  CHECK(result_of("entry main (n: i64) = 5 ** n", {-1}) == "error: Negative exponent");
  CHECK(result_of("entry main (n: i64) = length (iota 3 :> [n]i64)", {4}) ==
        "error: Value of (desugared) shape [3] cannot match shape of type \"[4]i64\".");
  CHECK(result_of("entry main (n: i64) = assert (n > 2) n", {1}) ==
        "error: Assertion is false: (n > 2)");
  CHECK(result_of("entry main (n: i64) = if n > 2 then n else ???", {1}) ==
        "error: Reached hole of type: i64");
}

TEST_CASE("nothing is checked that cannot fail, or that the user has promised") {
  CHECK(count(elaborated("entry main (x: i64) = x / 2").program, "assert") == 0);
  CHECK(count(elaborated("entry main (xs: []i64) = iota (length xs)").program, "assert") == 0);
  CHECK(count(elaborated("entry main (xs: []i64) (i: i64) = #[unsafe] xs[i]").program, "assert") ==
        0);
  CHECK(count(elaborated("entry main (xs: []i64) = xs[1:]").program, "assert") == 1);
}

TEST_CASE("the right side of && is not evaluated in vain") {
  CHECK(result_of("entry main (n: i64) = n != 0 && 10 / n > 1", {0}) == "false");
  CHECK(result_of("entry main (n: i64) = n == 0 || 10 / n > 1", {0}) == "true");
}
