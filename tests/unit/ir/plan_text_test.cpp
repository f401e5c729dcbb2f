// Plans as text: what is printed is read again, and what cannot be is refused.
#include <doctest/doctest.h>

#include "ir/parse.h"
#include "ir/print.h"
#include "ir/verify_schedule.h"

namespace dagaz::ir {
namespace {

std::optional<PlanText> read(const std::string& text) {
  SourceFiles files;
  Diagnostics diagnostics;
  return parse_plan(files.add("plan", text), files, diagnostics);
}

TEST_CASE("settings keep what differs from the defaults") {
  Settings settings;
  CHECK(print(settings) == "settings");
  settings.points = PointsBy::kernels;
  settings.arrays = ArraysIn::device;
  settings.short_array = 1;
  settings.arena_ratio = 128;
  const std::string text = print(settings);
  CHECK(text == "settings points kernels arrays device short_array 1 arena_ratio 128");
  const auto plan = read(text + "\nx_3: [\n  teams blocks 7 elements 2]\n");
  REQUIRE(plan.has_value());
  CHECK(plan->settings == settings);
  REQUIRE(plan->schedules.size() == 1);
  const Schedule& schedule = plan->schedules.begin()->second;
  CHECK(schedule.versions[0].strategy == Strategy(Teams{1024, 7, 2}));
}

TEST_CASE("a plan without settings has none") {
  const auto plan = read("x_0: [in_pieces least 4 rounds 2 at_once 8]");
  REQUIRE(plan.has_value());
  CHECK(!plan->settings.has_value());
  CHECK(!read("settings points nowhere").has_value());
}

TEST_CASE("numbers that are out of range are found") {
  CHECK(problem_of(Strategy(InPieces{})) == "");
  CHECK(problem_of(Strategy(InPieces{.at_once = 1})) == "`at_once 1` is not from 2 to 67108864");
  CHECK(problem_of(Strategy(InPieces{.at_once = 8, .most_at_once = 7})) != "");
  CHECK(problem_of(Strategy(InPieces{.streams = 0})) == "`streams 0` is not from 1 to 64");
  CHECK(problem_of(Strategy(InPieces{.streams = 2, .line = 0})) != "");
  CHECK(problem_of(Strategy(Teams{.blocks = 0})) != "");
  CHECK(problem_of(Strategy(BlockBins{.rounds = -1})) != "");
  CHECK(problem_of(Strategy(Interchanged{.steps = 65})) != "");
  CHECK(problem_of(Strategy(StagedTiles{.rows = 32, .points = 32, .staged = {}})) == "");
  CHECK(problem_of(Strategy(StagedTiles{.rows = 0, .staged = {}})) ==
        "`rows 0` is not from 1 to 4096");
  CHECK(problem_of(Strategy(StagedTiles{.points = 4097, .staged = {}})) != "");
  CHECK(problem_of(Settings{}) == "");
  CHECK(problem_of(Settings{.look = 0}) != "");
  CHECK(problem_of(Settings{.arena_ratio = 32}) != "");
}

TEST_CASE("what appends, and what is unrolled or vectorised, is part of a plan") {
  const auto plan = read(
      "x_0: [fused_stencil vectorised false] operations [3] appends [y_1 ahead 128, y_2 ahead 64]\n"
      "z_3: [contraction row_gap 1 unrolled false of_rows [a_4]]\n");
  REQUIRE(plan.has_value());
  const Schedule& schedule = plan->schedules.at(NameId(0));
  CHECK(schedule.versions[0].strategy == Strategy(FusedStencil{1, false}));
  CHECK(schedule.appends == std::vector<Append>{{NameId(1), 128}, {NameId(2), 64}});
  const Version& version = plan->schedules.at(NameId(3)).versions[0];
  const auto& product = std::get<Contraction>(version.strategy);
  CHECK(product.row_gap == 1);
  CHECK(product.point_gap == 0);
  CHECK(!product.unrolled);
}

TEST_CASE("what a GPU copies while nobody waits is part of a plan") {
  const auto plan = read(
      "x_0: [row_blocks depth 8 stages 4 together 2 products [s_1, t_2] copied_rows [s_1: 1] "
      "copied_points [s_1: 1, t_2: 4]]\n"
      "y_3: [staged_tiles staged [a_4, b_5] copied [a_4, b_5] wide [b_5]]\n"
      "z_6: [teams tiled [a_4, b_5] turned [b_5] copied [b_5] stages 2]\n");
  REQUIRE(plan.has_value());
  const auto& version = plan->schedules.at(NameId(0)).versions[0];
  RowBlocks blocks = std::get<RowBlocks>(version.strategy);
  CHECK(blocks.stages == 4);
  CHECK(blocks.together == 2);
  CHECK(blocks.copied_rows == std::vector<CopiedValues>{{NameId(1), 1}});
  CHECK(blocks.copied_points == std::vector<CopiedValues>{{NameId(1), 1}, {NameId(2), 4}});
  CHECK(problem_of(version.strategy) == "");
  blocks.copied_points.push_back({NameId(3), 4});
  CHECK(problem_of(Strategy(blocks)) == "what is copied is not among the `products`");
  blocks.stages = 1;
  CHECK(problem_of(Strategy(blocks)) == "`stages 1` is not from 2 to 16");
  auto tiles = std::get<StagedTiles>(plan->schedules.at(NameId(3)).versions[0].strategy);
  CHECK(problem_of(Strategy(tiles)) == "");
  tiles.copied.pop_back();
  CHECK(problem_of(Strategy(tiles)) == "what is copied is not among the `copied`");
  tiles.wide.clear();
  tiles.staged.erase(tiles.staged.begin());
  CHECK(problem_of(Strategy(tiles)) == "what is copied is not among the `staged`");
  auto teams = std::get<Teams>(plan->schedules.at(NameId(6)).versions[0].strategy);
  CHECK(teams.stages == 2);
  CHECK(problem_of(Strategy(teams)) == "");
  teams.tiled.pop_back();
  CHECK(problem_of(Strategy(teams)) == "what is copied is not among the `tiled`");
}

TEST_CASE("how far ahead is fetched, and gaps, have their limits") {
  CHECK(problem_of(std::vector<Append>{{NameId(1), 4096}}) == "");
  CHECK(problem_of(std::vector<Append>{{NameId(1), 0}}) == "`ahead 0` is not from 1 to 65536");
  Contraction tiles;
  tiles.row_gap = 64;
  CHECK(problem_of(Strategy(tiles)) == "");
  tiles.point_gap = 65;
  CHECK(problem_of(Strategy(tiles)) != "");
  CHECK(problem_of(Settings{.tile_rows = 0}) != "");
}

TEST_CASE("guards count threads and bytes of a device") {
  const auto plan = read("x_0: [row_blocks rows 32 when [block_bytes >= 64 * n_1, "
                         "8 * n_1 >= resident], pointwise]");
  REQUIRE(plan.has_value());
  const Version& version = plan->schedules.at(NameId(0)).versions[0];
  CHECK(std::get<RowBlocks>(version.strategy).rows == 32);
  const Operand size = NameId(1);
  CHECK(version.when == std::vector<Guard>{{{1, {}, false, true}, {64, {size}}},
                                           {{8, {size}}, {1, {}, true}}});
  CHECK(problem_of(version.strategy) == "");
  RowBlocks none;
  none.rows = 0;
  CHECK(problem_of(Strategy(none)) == "`rows 0` is not from 1 to 4096");
}

TEST_CASE("the last version of a schedule, and no other, always runs") {
  const Guard guard = at_least(i64_operand(4), 4);
  Schedule schedule;
  CHECK(problem_of(schedule) == "");
  schedule.versions = {{{guard}, Pointwise{}}, {{}, InPieces{}}};
  CHECK(problem_of(schedule) == "");
  schedule.versions.pop_back();
  CHECK(problem_of(schedule) == "the last version has a guard");
  schedule.versions = {{{}, Pointwise{}}, {{}, InPieces{}}};
  CHECK(problem_of(schedule) != "");
}

}  // namespace
}  // namespace dagaz::ir
