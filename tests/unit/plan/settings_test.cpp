// Settings follow from the device and the tunables; sizes of a GPU's strategies from those chosen.
#include "plan/copies.h"
#include "plan/settings.h"

#include <doctest/doctest.h>

#include "ir/verify_schedule.h"
#include "plan/gpu_sizes.h"

namespace dagaz::plan {
namespace {

TEST_CASE("settings are for the device that they were made for") {
  const Tunables tunables;
  const ir::Settings cpu = settings_for(Device::cpu, tunables);
  const ir::Settings gpu = settings_for(Device::gpu, tunables);
  CHECK(cpu == ir::Settings{});
  CHECK(are_for(cpu, Device::cpu));
  CHECK(!are_for(cpu, Device::gpu));
  CHECK(are_for(gpu, Device::gpu));
  CHECK(ir::problem_of(gpu) == "");
}

TEST_CASE("settings are right wherever the tunables are") {
  for (const TunableRow& row : tunable_rows()) {
    for (const std::int64_t value : {row.lowest, row.highest}) {
      CAPTURE(row.name);
      Tunables tunables;
      tunables.*row.member = value;
      CHECK(ir::problem_of(settings_for(Device::cpu, tunables)) == "");
      CHECK(ir::problem_of(settings_for(Device::gpu, tunables)) == "");
    }
  }
}

TEST_CASE("squares fill a line of the caches, a tile what it may have") {
  ir::Settings settings;
  const auto squares = squares_for(settings, ir::ScalarType::f32);
  REQUIRE(squares.has_value());
  CHECK(squares->lanes == 16);
  CHECK(squares->rows * squares->columns * squares->lanes * squares->lanes * 4 <= settings.tile);
  settings.tile = 0;
  CHECK(squares_for(settings, ir::ScalarType::f64)->columns == 1);
  CHECK(!squares_for(settings, ir::ScalarType::i8).has_value());
  CHECK(!squares_for(settings_for(Device::gpu, {}), ir::ScalarType::f32).has_value());
}

TEST_CASE("strategies of a GPU take sizes for which there is room") {
  const ir::Guard pays = ir::at_least(ir::i64_operand(64), 32);
  ir::Schedule chosen;
  ir::Contraction tiles;
  tiles.block_rows = 8;
  tiles.columns = 8;
  tiles.depth = 16;
  chosen.versions = {{{pays}, tiles}, {{}, ir::Teams{}}};
  ir::Contraction smaller = tiles;
  smaller.block_rows = 2;
  const auto taken = resized_version(chosen, smaller, false);
  REQUIRE(taken.has_value());
  CHECK(taken->when.empty());
  smaller.depth = 32;
  CHECK(!resized_version(chosen, smaller, false).has_value());
  CHECK(resized_version(chosen, ir::Teams{256, 3, 1}, false).has_value());
  CHECK(!resized_version(chosen, ir::Teams{1024, 3, 1}, false).has_value());
  CHECK(resized_version(chosen, ir::InPieces{}, false).has_value());
  CHECK(!resized_version(chosen, ir::LookBack{}, false).has_value());
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
