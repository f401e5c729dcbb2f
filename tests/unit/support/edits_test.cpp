// Edits of one text: order, insertions, overlaps.
#include <doctest/doctest.h>

#include "support/edits.h"

using namespace dagaz;

namespace {
Edit edit(std::uint32_t begin, std::uint32_t end, std::string text) {
  return {Range{FileId(0), begin, end}, std::move(text)};
}
}  // namespace

TEST_CASE("edits in any order refer to the text before all of them") {
  CHECK(edited("one two three", {edit(8, 13, "3"), edit(0, 3, "1")}) == "1 two 3");
  CHECK(edited("one", {edit(3, 3, "!"), edit(0, 0, "("), edit(3, 3, "?")}) == "(one!?");
  CHECK(edited("one two", {edit(0, 3, ""), edit(3, 4, "")}) == "two");
}

TEST_CASE("edits that overlap, or lie outside, are refused together") {
  CHECK_FALSE(edited("one two", {edit(0, 4, "x"), edit(3, 5, "y")}));
  CHECK_FALSE(edited("one", {edit(2, 4, "x")}));
}
