// Settings follow from the device and the tunables; sizes of a GPU's strategies from those chosen.
#include "plan/copies.h"
#include "plan/settings.h"

#include <doctest/doctest.h>

#include "ir/verify_schedule.h"
#include "plan/gpu_sizes.h"
#include "support/match.h"

namespace dagaz::plan {
namespace {

TEST_CASE("settings are for the device that they were made for") {
  const TargetDescription target;
  const ir::Settings cpu = settings_for(Device::cpu, target);
  const ir::Settings gpu = settings_for(Device::gpu, target);
  CHECK(cpu == ir::Settings{});
  CHECK(are_for(cpu, Device::cpu));
  CHECK(!are_for(cpu, Device::gpu));
  CHECK(are_for(gpu, Device::gpu));
  CHECK(ir::problem_of(gpu) == "");
}

TEST_CASE("settings are right wherever the tunables are") {
  struct Row {
    const char* name;
    std::int64_t Tunables::*member;
    std::int64_t lowest;
    std::int64_t highest;
  };
  static constexpr Row rows[] = {
#define DZ_TUNABLE(name, value, lowest, highest, text) {#name, &Tunables::name, lowest, highest},
#include "plan/tunables.def"
#undef DZ_TUNABLE
  };
  for (const Row& row : rows) {
    for (const std::int64_t value : {row.lowest, row.highest}) {
      CAPTURE(row.name);
      TargetDescription target;
      target.tunables.*row.member = value;
      CHECK(ir::problem_of(settings_for(Device::cpu, target)) == "");
      CHECK(ir::problem_of(settings_for(Device::gpu, target)) == "");
    }
  }
}

CopyPlan plan_of(const ir::Settings& settings, CopiedBy by, const ir::Type& type, bool dense,
                 const std::vector<bool>& written, const std::vector<bool>& read) {
  return plan_of_copy(settings, {by, type, dense, false, written, read});
}

ir::Type matrix_of(ir::ScalarType element) {
  return ir::array_of(element, {ir::i64_operand(100), ir::i64_operand(200)});
}

TEST_CASE("what is transposed is copied in squares that fill a line of the caches") {
  ir::Settings settings;
  const ir::Type type = matrix_of(ir::ScalarType::f32);
  const auto across = [&] {
    return plan_of(settings, CopiedBy::host, type, false, {false, true}, {true, false});
  };
  const CopyPlan plan = across();
  const auto* squares = as<CopySquares>(plan);
  REQUIRE(squares != nullptr);
  CHECK(squares->written == 1);
  CHECK(squares->read == 0);
  CHECK(squares->lanes == 16);
  CHECK(squares->fill_lines());
  CHECK(squares->tile == SquaresOfTile{2, 16, 4});
  CHECK(squares->staged == SquaresOfTile{8, 16, 2});
  settings.tile_rows = 3;
  settings.staged_rows = 1;
  CHECK(std::get<CopySquares>(across()).tile == SquaresOfTile{3, 16, 4});
  CHECK(std::get<CopySquares>(across()).staged == SquaresOfTile{1, 16, 2});
}

TEST_CASE("an element of what is transposed counts as more bytes than are read and written") {
  ir::Settings settings;
  const auto moved = [&](ir::ScalarType element) {
    const CopyPlan plan =
        plan_of(settings, CopiedBy::host, matrix_of(element), false, {false, true}, {true, false});
    return std::get<CopySquares>(plan).moved;
  };
  CHECK(moved(ir::ScalarType::i8) == 2);
  CHECK(moved(ir::ScalarType::f32) == 10);
  settings.crowding = 0;
  CHECK(moved(ir::ScalarType::f64) == 16);
}

TEST_CASE("only the host of a CPU copies in squares, which small elements fill no lines with") {
  const std::vector<bool> rows = {false, true};
  const std::vector<bool> columns = {true, false};
  const ir::Settings settings;
  const ir::Type type = matrix_of(ir::ScalarType::f32);
  const CopyPlan by_elements = CopyElements{1};
  CHECK(plan_of(settings, CopiedBy::task, type, false, rows, columns) == by_elements);
  const ir::Type bytes = matrix_of(ir::ScalarType::i8);
  const CopyPlan of_bytes = plan_of(settings, CopiedBy::host, bytes, false, rows, columns);
  REQUIRE(as<CopySquares>(of_bytes) != nullptr);
  CHECK(as<CopySquares>(of_bytes)->lanes == 16);
  CHECK(!as<CopySquares>(of_bytes)->fill_lines());
}

TEST_CASE("blocks of a GPU turn over squares that fit the memory for them") {
  const std::vector<bool> rows = {false, true};
  const std::vector<bool> columns = {true, false};
  ir::Settings gpu = settings_for(Device::gpu, {});
  const auto copied = [&](CopiedBy by, ir::ScalarType element) {
    return plan_of(gpu, by, matrix_of(element), false, rows, columns);
  };
  const CopyPlan by_elements = CopyElements{1};
  CHECK(copied(CopiedBy::host, ir::ScalarType::f32) == CopyPlan(CopyTurned{1, 0, 32, 16, {1}}));
  CHECK(copied(CopiedBy::host, ir::ScalarType::i8) == CopyPlan(CopyTurned{1, 0, 64, 32, {1}}));
  CHECK(copied(CopiedBy::kernel, ir::ScalarType::f32) == by_elements);
  gpu.tile = 1024;
  CHECK(copied(CopiedBy::host, ir::ScalarType::f32) == CopyPlan(CopyTurned{1, 0, 16, 8, {1}}));
  gpu.tile = 1023;
  CHECK(copied(CopiedBy::host, ir::ScalarType::f32) == by_elements);
}

TEST_CASE("loops of a copy have neighbours innermost") {
  const ir::Settings settings;
  const ir::Type type = matrix_of(ir::ScalarType::f32);
  const std::vector<bool> columns = {true, false};
  CHECK(plan_of(settings, CopiedBy::task, type, false, columns, columns) ==
        CopyPlan(CopyElements{0}));
}

TEST_CASE(
    "arrays without gaps are copied as a whole, but short ones in a task and all in kernels") {
  const ir::Settings settings;
  const auto copied = [&](CopiedBy by, std::int64_t count) {
    const ir::Type type = ir::array_of(ir::ScalarType::f32, {ir::i64_operand(count)});
    return plan_of(settings, by, type, true, {true}, {true});
  };
  CHECK(copied(CopiedBy::host, 3) == CopyPlan(CopyWhole{}));
  CHECK(copied(CopiedBy::task, settings.short_array) == CopyPlan(CopyElements{0}));
  CHECK(copied(CopiedBy::task, settings.short_array + 1) == CopyPlan(CopyWhole{}));
  CHECK(copied(CopiedBy::kernel, 1000) == CopyPlan(CopyElements{0}));
}

TEST_CASE("threads of a kernel copy several elements of one dimension each") {
  const ir::Settings gpu = settings_for(Device::gpu, {});
  CHECK(copied_by_a_thread(gpu, 1) == gpu.points_a_thread);
  CHECK(copied_by_a_thread(gpu, 2) == gpu.points_a_thread);
  CHECK(copied_by_a_thread(gpu, 0) == 1);
}

TEST_CASE("strategies of a GPU take sizes for which there is room") {
  const ir::Guard pays = ir::at_least(ir::i64_operand(64), 32);
  ir::Schedule chosen;
  ir::Contraction tiles;
  tiles.block_rows = 8;
  tiles.columns = 8;
  tiles.depth = 16;
  tiles.most_rows = 16;
  tiles.most_points = 16;
  chosen.versions = {{{pays}, tiles}, {{}, ir::Teams{}}};
  ir::Contraction smaller = tiles;
  smaller.block_rows = 2;
  const auto taken = resized_version(chosen, smaller, false);
  REQUIRE(taken.has_value());
  CHECK(taken->when.empty());
  smaller.row_gap = 4;
  CHECK(resized_version(chosen, smaller, false).has_value());
  smaller.row_gap = 5;
  CHECK(!resized_version(chosen, smaller, false).has_value());
  smaller.row_gap = 0;
  smaller.depth = 32;
  CHECK(!resized_version(chosen, smaller, false).has_value());
  CHECK(resized_version(chosen, ir::Teams{256, 3, 1}, false).has_value());
  CHECK(!resized_version(chosen, ir::Teams{1024, 3, 1}, false).has_value());
  CHECK(resized_version(chosen, ir::InPieces{}, false).has_value());
  CHECK(!resized_version(chosen, ir::LookBack{}, false).has_value());
}

TEST_CASE("threads stride through a segment where the operator commutes, and have room elsewhere") {
  const ir::Teams strided;
  ir::Teams in_order;
  in_order.stretch = 3;
  ir::Teams longer;
  longer.stretch = 4;
  const auto takes = [](const ir::Teams& chosen, const ir::Teams& wanted) {
    ir::Schedule schedule;
    schedule.versions = {{{}, chosen}};
    return resized_version(schedule, wanted, false).has_value();
  };
  CHECK(takes(strided, strided));
  CHECK(!takes(strided, in_order));
  CHECK(!takes(in_order, strided));
  CHECK(takes(longer, in_order));
  CHECK(!takes(in_order, longer));
}

TEST_CASE("teams take elements of sums inside of sums only where these are") {
  ir::Schedule schedule;
  ir::Teams joined;
  joined.joined = true;
  schedule.versions = {{{}, ir::Teams{}}};
  CHECK(!resized_version(schedule, joined, false).has_value());
  schedule.versions = {{{}, joined}, {{}, ir::Teams{}}};
  CHECK(resized_version(schedule, joined, false).has_value());
}

TEST_CASE("rows that share memory keep the guards that say that they fit") {
  ir::Guard fits = ir::at_least(ir::i64_operand(512), 1);
  ir::Guard fills = fits;
  fills.least.resident = true;
  const ir::Version rows{{fits, fills}, ir::Teams{0}};
  CHECK(needed_guards(rows, true) == std::vector<ir::Guard>{fits});
  CHECK(needed_guards(rows, false).empty());
}

}  // namespace
}  // namespace dagaz::plan
