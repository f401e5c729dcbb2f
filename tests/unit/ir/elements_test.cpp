// The elements of the interpreter's values: what shares memory is written apart.
#include <doctest/doctest.h>

#include <vector>

#include "ir/elements.h"

namespace dagaz::ir {
namespace {

std::vector<std::uint64_t> list(const Elements& elements) {
  return {elements.begin(), elements.end()};
}

using List = std::vector<std::uint64_t>;

TEST_CASE("a write to a copy leaves the other as it is") {
  Elements a{1, 2, 3};
  Elements b = a;
  b[1] = 7;
  CHECK(list(a) == List{1, 2, 3});
  CHECK(list(b) == List{1, 7, 3});
}

TEST_CASE("parts are written and extended apart") {
  Elements a{1, 2, 3, 4};
  Elements middle = a.part(1, 2);
  CHECK(list(middle) == List{2, 3});
  a[1] = 9;
  CHECK(list(middle) == List{2, 3});
  middle.push_back(5);
  CHECK(list(middle) == List{2, 3, 5});
  CHECK(list(a) == List{1, 9, 3, 4});
  CHECK(list(a.part(3, 1)) == List{4});
  CHECK(a.part(4, 0).empty());
}

TEST_CASE("elements are appended to themselves") {
  Elements a{1};
  a.append(Elements(a));
  a.append(Elements(a));
  CHECK(list(a) == List{1, 1, 1, 1});
}

TEST_CASE("sizes change across one element") {
  Elements a;
  a.resize(1);
  a[0] = 5;
  a.resize(3);
  CHECK(list(a) == List{5, 0, 0});
  a.resize(1);
  CHECK(list(a) == List{5});
  a.assign(2, 6);
  CHECK(list(a) == List{6, 6});
  a.assign(4);
  CHECK(list(a) == List{4});
  a.assign(0, 6);
  CHECK(a.empty());
}

}  // namespace
}  // namespace dagaz::ir
