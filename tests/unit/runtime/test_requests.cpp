// Which rows a rank asks the others for.
#include <doctest/doctest.h>

#include <vector>

#include "ranks/requests.h"

using namespace dagaz::runtime;

TEST_CASE("each row is asked for once where many are") {
  const std::vector<int64_t> places{9, 0, 5, -1, 10, 3, 0};
  const SortedPlaces once = sort_requests(places, 10, 3);
  CHECK(once.rows == std::vector<int64_t>{0, 3, 5, 9});
  CHECK(once.count == std::vector<int64_t>{1, 2, 1});
  CHECK(once.slots == std::vector<int64_t>{3, 0, 2, -1, -1, 1, 0});
}

TEST_CASE("of many rows those that are asked for are sorted by the ranks that have them") {
  const std::vector<int64_t> places{90, 0, 50, -1, 100, 30, 0};
  const SortedPlaces all = sort_requests(places, 100, 3);
  CHECK(all.rows == std::vector<int64_t>{0, 30, 0, 50, 90});
  CHECK(all.count == std::vector<int64_t>{3, 1, 1});
  CHECK(all.slots == std::vector<int64_t>{4, 0, 3, -1, -1, 1, 2});
}

TEST_CASE("nothing is asked of arrays without rows, and by ranks without points") {
  CHECK(sort_requests(std::vector<int64_t>{0, 1}, 0, 3).rows.empty());
  CHECK(sort_requests({}, 5, 3).count == std::vector<int64_t>{0, 0, 0});
}

TEST_CASE("what is brought goes as often as there is something, in its order") {
  const std::vector<int64_t> places{9, 0, 5, -1, 0, 10, 3};
  const SortedPlaces all = sort_places(places, 10, 3);
  CHECK(all.rows == std::vector<int64_t>{0, 0, 5, 3, 9});
  CHECK(all.count == std::vector<int64_t>{2, 2, 1});
  CHECK(all.slots == std::vector<int64_t>{4, 0, 2, -1, 1, -1, 3});
}
