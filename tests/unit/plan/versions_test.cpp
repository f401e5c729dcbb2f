// Guards: what one says that others say as well is not asked again.
#include "plan/versions.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/match.h"

namespace dagaz::plan {
namespace {

const ir::Operand n{ir::NameId(std::size_t{1})};
const ir::Operand m{ir::NameId(std::size_t{2})};

std::vector<ir::Guard> left_of(std::vector<ir::Guard> guards) {
  ir::Schedule schedule;
  add_version(schedule, std::move(guards), ir::Pointwise{});
  REQUIRE(schedule.versions.size() == 1);
  return schedule.versions[0].when;
}

ir::Guard by_threads(const ir::Operand& size, std::int64_t each) {
  ir::Product threads;
  threads.factor = each;
  threads.resident = true;
  return {{1, {size}}, threads};
}

TEST_CASE("guards that others imply are dropped, wherever these stand") {
  using Guards = std::vector<ir::Guard>;
  CHECK(left_of({ir::at_least(n, 2), ir::at_least(n, 2)}) == Guards{ir::at_least(n, 2)});
  CHECK(left_of({ir::at_least(n, 64), ir::at_least(m, 4), ir::at_least(n, 1024)}) ==
        Guards{ir::at_least(m, 4), ir::at_least(n, 1024)});
  CHECK(left_of({at_most(n, 8), at_most(n, 16), ir::at_least(n, 2)}) ==
        Guards{at_most(n, 8), ir::at_least(n, 2)});
  const Guards apart = {ir::at_least(n, 2), ir::at_least(m, 2), at_most(n, 8)};
  CHECK(left_of(apart) == apart);
}

TEST_CASE("there is a thread at least") {
  using Guards = std::vector<ir::Guard>;
  CHECK(left_of({ir::at_least(n, 16), by_threads(n, 16)}) == Guards{by_threads(n, 16)});
  const Guards more = {ir::at_least(n, 32), by_threads(n, 16)};
  CHECK(left_of(more) == more);
}

TEST_CASE("the versions of a schedule end with the first that has no guard") {
  const ir::Schedule schedule =
      in_versions({{{ir::at_least(n, 4), ir::at_least(n, 2)}, ir::InPieces{}},
                   {{ir::at_least(ir::i64_operand(1), 2)}, ir::BySegments{}},
                   {{ir::at_least(ir::i64_operand(2), 2)}, ir::Pointwise{}},
                   {{}, ir::BySegments{}}});
  REQUIRE(schedule.versions.size() == 2);
  CHECK(schedule.versions[0].when == std::vector<ir::Guard>{ir::at_least(n, 4)});
  CHECK(as<ir::Pointwise>(schedule.versions[1].strategy));
  CHECK(schedule.versions[1].when.empty());
}

TEST_CASE("versions that do the same as the last one are that one") {
  const ir::Schedule schedule = in_versions({{{ir::at_least(n, 8)}, ir::BySegments{}},
                                             {{ir::at_least(n, 4)}, ir::Pointwise{}},
                                             {{ir::at_least(n, 2)}, ir::Pointwise{}},
                                             {{}, ir::Pointwise{}}});
  REQUIRE(schedule.versions.size() == 2);
  CHECK(as<ir::Pointwise>(schedule.versions[1].strategy));
  CHECK(schedule.versions[1].when.empty());
}

}  // namespace
}  // namespace dagaz::plan
