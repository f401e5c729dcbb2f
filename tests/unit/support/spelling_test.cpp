// Which word was meant.
#include <doctest/doctest.h>

#include <array>
#include <string_view>

#include "support/spelling.h"

using namespace dagaz;

TEST_CASE("neighbours that are swapped count once") {
  CHECK(spelling_distance("lenght", "length") == 1);
  CHECK(spelling_distance("kitten", "sitting") == 3);
  CHECK(spelling_distance("", "abc") == 3);
  CHECK(spelling_distance("ca", "abc") == 3);
}

TEST_CASE("only near words are suggested, those at the least distance") {
  Spelling spelling("lenght");
  for (const std::string_view word : {"height", "length", "width", "length"}) {
    spelling.consider(word);
  }
  REQUIRE(spelling.nearest().size() == 1);
  CHECK(spelling.nearest().front() == "length");
  Spelling two("xs1");
  two.consider("xs2");
  two.consider("xs3");
  CHECK(two.nearest().size() == 2);
}

TEST_CASE("of short words a letter is much; another case is little") {
  Spelling letter("y");
  letter.consider("x");
  CHECK(letter.nearest().empty());
  Spelling small("pi");
  small.consider("PI");
  CHECK(small.nearest().size() == 1);
}

TEST_CASE("messages end with what may be meant") {
  constexpr std::array<std::string_view, 2> words{"check", "build"};
  CHECK(did_you_mean("chek", words) == "; did you mean `check`?");
  CHECK(did_you_mean("frobnicate", words).empty());
}
