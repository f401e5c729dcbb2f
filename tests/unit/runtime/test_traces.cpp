// What traces print, from leaves as they cross the interface.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "traces.h"

namespace {

using dagaz::runtime::TracedLeaf;
using dagaz::runtime::traced_leaves;
using dagaz::runtime::traced_text;

template <typename T>
TracedLeaf leaf(const std::vector<T>& elements, std::vector<int64_t> shape = {}) {
  return {std::move(shape), reinterpret_cast<const char*>(elements.data()), sizeof(T)};
}

const std::vector<double> reals = {1, 2.5, 3, 4, 5, 6};
const std::vector<uint8_t> bytes = {200, 1, 0};
const std::vector<int8_t> numbers = {1, 0, 1};
const std::vector<int8_t> none = {0};

TEST_CASE("scalars and arrays are printed as programs print results") {
  CHECK(traced_text("f64@0", std::vector{leaf(reals)}) == "1.0f64");
  CHECK(traced_text("u8@0", std::vector{leaf(bytes)}) == "200u8");
  CHECK(traced_text("i8@0", std::vector{leaf(bytes)}) == "-56i8");
  CHECK(traced_text("[][]f64@0", std::vector{leaf(reals, {2, 2})}) ==
        "[[1.0f64, 2.5f64], [3.0f64, 4.0f64]]");
  CHECK(traced_text("[][]f64@0", std::vector{leaf(reals, {2, 0})}) == "[[], []]");
}

TEST_CASE("elements may lie apart") {
  CHECK(traced_text("[]f64@0",
                    std::vector{TracedLeaf{{2}, reinterpret_cast<const char*>(reals.data()),
                                           2 * sizeof(double)}}) == "[1.0f64, 3.0f64]");
}

TEST_CASE("records and tuples, and arrays of them") {
  const std::vector both{leaf(reals, {2}), leaf(bytes, {2})};
  CHECK(traced_text("()", {}) == "()");
  CHECK(traced_text("{x: f64@0, y: (u8@1, function)}", std::vector{leaf(reals), leaf(bytes)}) ==
        "{x = 1.0f64, y = (200u8, <function>)}");
  CHECK(traced_text("[]{x: f64@0, y: u8@1}", both) ==
        "[{x = 1.0f64, y = 200u8}, {x = 2.5f64, y = 1u8}]");
  CHECK(traced_text("{rows: [](f64@0, u8@1), n: []()}", both) ==
        "{rows = [(1.0f64, 200u8), (2.5f64, 1u8)], n = [...]}");
}

TEST_CASE("sums say which constructor it is, and its payload alone") {
  const std::string shape = "sum@0(#point | #box f64@1 (f64@2, f64@1) | #some sum@0(#a | #b))";
  CHECK(traced_text("sum@0(#point | #circle f64@1)",
                    std::vector{leaf(none), leaf(reals)}) == "#point");
  CHECK(traced_text("[]sum@0(#point | #circle f64@1)",
                    std::vector{leaf(numbers, {3}), leaf(reals, {3})}) ==
        "[#circle 1.0f64, #point, #circle 3.0f64]");
  CHECK(traced_text("sum@0(#no | #some sum@1(#no | #some f64@2))",
                    std::vector{leaf(numbers), leaf(numbers), leaf(reals)}) ==
        "#some (#some 1.0f64)");
  CHECK(traced_leaves(shape).size() == 3);
}

TEST_CASE("a type says what its leaves are") {
  const std::vector<dz_leaf_type> leaves = traced_leaves("[]{a: []u16@1, b: sum@0(#c f32@2)}");
  REQUIRE(leaves.size() == 3);
  CHECK(leaves[0].rank == 1);
  CHECK(leaves[0].element == DZ_I8);
  CHECK(leaves[1].rank == 2);
  CHECK(leaves[1].element == DZ_U16);
  CHECK(leaves[2].rank == 1);
}

}  // namespace
