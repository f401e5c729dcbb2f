// How ranks combine arrays, as they all decide for themselves.
#include <doctest/doctest.h>

#include "ranks/reduce.h"

namespace {

using namespace dagaz::runtime;

TEST_CASE("few elements are reduced by everything that all have") {
  for (const int64_t ranks : {2, 3, 4, 7, 64, 1000}) {
    CHECK(fastest_reduction(ranks, 8) == ReduceBy::everything);
  }
  // Every rank gets all elements of all others.
  CHECK(fastest_reduction(4, 8192) == ReduceBy::everything);
  CHECK(fastest_reduction(1024, 8192) != ReduceBy::everything);
}

TEST_CASE(
    "two ranks send each other all elements: by parts each would send as many, in more messages") {
  CHECK(fastest_reduction(2, 1 << 20) == ReduceBy::everything);
  CHECK(fastest_reduction(2, int64_t{1} << 32) == ReduceBy::everything);
}

TEST_CASE("many elements are reduced by parts among few ranks") {
  CHECK(fastest_reduction(3, 1 << 20) == ReduceBy::parts);
}

TEST_CASE("many elements are reduced by halves among many ranks") {
  CHECK(fastest_reduction(64, 1 << 20) == ReduceBy::halves);
  CHECK(fastest_reduction(1024, 8192) == ReduceBy::halves);
  CHECK(fastest_reduction(1000, 1 << 16) == ReduceBy::halves);
}

TEST_CASE("with more bytes a reduction never goes back to everything") {
  for (int64_t ranks = 2; ranks <= 300; ++ranks) {
    bool in_parts = false;
    for (int64_t bytes = 1; bytes <= int64_t{1} << 32; bytes *= 2) {
      const bool is_everything = fastest_reduction(ranks, bytes) == ReduceBy::everything;
      CHECK_FALSE((in_parts && is_everything));
      in_parts = in_parts || !is_everything;
    }
  }
}

TEST_CASE("what comes besides halves costs too much where ranks are no power of two and few") {
  // All elements once more, to and from those that the halves leave out: more than p − 1 messages.
  CHECK(fastest_reduction(7, int64_t{1} << 24) == ReduceBy::parts);
  CHECK(fastest_reduction(8, int64_t{1} << 24) == ReduceBy::halves);
}

}  // namespace
