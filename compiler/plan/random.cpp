#include "plan/random.h"

#include <algorithm>

#include "plan/async_copies.h"
#include "plan/gpu_sizes.h"
#include "plan/matrix_units.h"
#include "plan/target.h"
#include "plan/versions.h"
#include "support/match.h"

namespace dagaz::plan {

ir::LaneBlocks RandomSchedules::blocks(const MapAt& at) {
  const auto dimensions = static_cast<int>(at.map.space.size());
  ir::LaneBlocks blocks;
  blocks.points = below(dimensions);
  blocks.rows = below(dimensions + 1) - 1;
  if (blocks.rows == blocks.points) blocks.rows = -1;
  blocks.block_rows = blocks.rows < 0 ? 1 : one_of({1, 2, 3, 4, 5, 8});
  blocks.columns = one_of({1, 2, 3, 4});
  blocks.width = one_of({2, 4, 8, 16});
  blocks.chunk = one_of({1, 2, 64});
  for (int k = 0; k < std::ssize(at.map.result_types); ++k) {
    if (flips()) blocks.collected.push_back(k);
  }
  const bool may_serialise = dimensions == 1 && at.where == Around::host;
  if (may_serialise && flips()) blocks.remainder = ir::Remainder::serialised;
  return blocks;
}

ir::LaneBlocks RandomSchedules::blocks_of_reduction(int values) {
  ir::LaneBlocks blocks;
  blocks.columns = one_of({1, 2, 3, 4});
  blocks.width = one_of({2, 4, 8, 16});
  if (flips()) {
    blocks.rows = blocks.points;
    blocks.block_rows = one_of({1, 3, 16});
  }
  for (int k = 0; k < values; ++k) {
    if (flips()) blocks.places.push_back(k);
  }
  return blocks;
}

ir::LaneBlocks RandomSchedules::blocks_of_segments() {
  ir::LaneBlocks blocks;
  blocks.width = one_of({2, 4, 8, 16});
  blocks.ahead = one_of({0, 24, 4096});
  return blocks;
}

ir::LaneBlocks RandomSchedules::blocks_of_scatter() {
  ir::LaneBlocks blocks;
  blocks.columns = one_of({1, 2, 3});
  blocks.width = one_of({2, 4, 8, 16});
  return blocks;
}

ir::Strategy RandomSchedules::scan(const ScanAt& at) {
  const int width = one_of({1, 2, 4, 8, 16});
  const auto loop = completed_scan(at, ir::Compaction{1, width});
  if (loop && flips()) return loop->strategy;
  ir::LaneBlocks blocks;
  blocks.width = width;
  blocks.totals = flips();
  const auto lanes = completed_scan(at, blocks);
  if (lanes && flips()) return lanes->strategy;
  const auto whole = completed_scan(at, ir::BySegments{{.rolled = flips()}});
  return whole && flips() ? whole->strategy : ir::InPieces{};
}

ir::Contraction RandomSchedules::contraction() {
  ir::Contraction sizes;
  sizes.block_rows = one_of({1, 2, 3, 6, 8, 12});
  sizes.columns = one_of({1, 2});
  sizes.width = one_of({4, 8, 16});
  sizes.depth = one_of({1, 5, 64, 256});
  sizes.cached = one_of({1, 2, 16});
  sizes.least_rows = one_of({1, 2});
  sizes.least_points = one_of({1, 2});
  sizes.most_rows = one_of({2, 3, 64});
  sizes.most_points = one_of({2, 5, 64});
  sizes.split = one_of({0, 4, 64, 1024});
  sizes.crossing = one_of({2, 4, 8, 16});
  sizes.unrolled = flips();
  return sizes;
}

ir::Schedule RandomSchedules::map(const MapAt& at, const std::optional<ir::Version>& product,
                                  std::vector<ir::Strategy> ways) {
  std::vector<ir::Version> versions;
  if (product && flips()) versions.push_back(*product);
  if (!versions.empty() && versions.back().when.empty()) return in_versions(std::move(versions));
  if (!at.map.space.empty()) {
    for (int tries = below(4); tries > 0; --tries) {
      const Packing packing = flips() ? Packing::allowed : Packing::forbidden;
      auto version = completed_blocks(at, blocks(at), packing);
      if (!version) continue;
      const bool is_last = version->when.empty();
      versions.push_back(std::move(*version));
      if (is_last) return in_versions(std::move(versions));
    }
  }
  return with_last(std::move(versions), std::move(ways), iterations({}));
}

ir::Schedule RandomSchedules::reduction(std::vector<ir::Version> lanes,
                                        std::vector<ir::Strategy> ways) {
  if (flips()) lanes.clear();
  return with_last(std::move(lanes), std::move(ways), ir::InPieces{});
}

ir::Schedule RandomSchedules::with_last(std::vector<ir::Version> versions,
                                        std::vector<ir::Strategy> ways,
                                        ir::Strategy simplest) {
  ways.push_back(std::move(simplest));
  const auto chosen = static_cast<std::size_t>(below(static_cast<int>(ways.size())));
  versions.push_back({{}, std::move(ways[chosen])});
  return in_versions(std::move(versions));
}

ir::Schedule RandomSchedules::of_gpu(const ir::Schedule& chosen, bool is_map) {
  std::vector<ir::Version> versions;
  std::vector<ir::Strategy> ways;
  for (const ir::Version& version : chosen.versions) {
    std::vector<ir::Guard> guards = needed_guards(version, is_map);
    ir::Strategy sized = version.strategy;
    if (auto* const rows = as<ir::Teams>(sized); is_map && rows != nullptr) {
      leave_copies(*rows);
    } else {
      sized = resized(std::move(sized), is_map);
    }
    if (guards.empty()) {
      ways.push_back(std::move(sized));
    } else if (flips()) {
      versions.push_back({std::move(guards), std::move(sized)});
    }
  }
  if (ways.empty()) return chosen;
  const auto last = static_cast<std::size_t>(below(static_cast<int>(ways.size())));
  versions.push_back({{}, std::move(ways[last])});
  return in_versions(std::move(versions));
}

ir::InPieces RandomSchedules::pieces_of_gpu(int most) {
  const int at_once = one_of({2, 3, 32});
  return {most, one_of({1, 5, 16}), one_of({0, 1, 3}), at_once, one_of({1, 2}) * at_once};
}

void RandomSchedules::resize(ir::Contraction& tiles) {
  ir::Contraction sized = tiles;
  sized.depth = std::min(tiles.depth, one_of({1, 3, 8, 16}));
  sized.block_rows = std::min(tiles.block_rows, one_of({1, 2, 3, 4, 8}));
  sized.columns = std::min(tiles.columns, one_of({1, 2, 3, 4, 8}));
  sized.split = one_of({0, 1, 7, 64});
  sized.stages = std::min(tiles.stages, one_of({2, 3, 4}));
  if (flips()) sized.row_copies = 0;
  if (flips()) sized.point_copies = 0;
  if (tiles.unit != ir::MatrixUnit::none && flips()) {
    sized.depth = std::max(sized.depth, ir::shape_of(tiles.unit).elements);
    if (has_whole_matrices(sized) && has_whole_copies(sized)) tiles = sized;
    return;
  }
  sized.unit = ir::MatrixUnit::none;
  sized.row_gap = below(5);
  sized.point_gap = below(2);
  sized.unrolled = flips();
  if (!has_whole_copies(sized)) sized.row_copies = sized.point_copies = 0;
  tiles = sized;
}

void RandomSchedules::leave_copies(ir::RowBlocks& blocks) {
  if (blocks.copied_rows.empty() && blocks.copied_points.empty()) return;
  blocks.stages = std::min(blocks.stages, one_of({2, 3, 4}));
  for (auto* copied : {&blocks.copied_rows, &blocks.copied_points}) {
    std::erase_if(*copied, [&](const ir::CopiedValues&) { return below(4) == 0; });
  }
}

void RandomSchedules::leave_copies(ir::Teams& teams) {
  teams.stages = std::min(teams.stages, one_of({1, 2}));
  std::erase_if(teams.copied, [&](ir::NameId) { return below(4) == 0; });
}

ir::Strategy RandomSchedules::resized(ir::Strategy strategy, bool is_map) {
  if (auto* points = as<ir::Pointwise>(strategy); points != nullptr && points->points > 1) {
    points->points = one_of({1, 2, 3, 4, 8});
  } else if (auto* pieces = as<ir::InPieces>(strategy)) {
    return pieces_of_gpu(one_of({1, 2, 33, 1024, pieces->most}));
  } else if (auto* teams = as<ir::Teams>(strategy)) {
    if (flips()) return pieces_of_gpu(one_of({1, 7, 1024}));
    teams->blocks = one_of({1, 3, 1024});
    teams->elements = one_of({1, 8, 64});
    teams->stretch = std::min(teams->stretch, one_of({1, 3, 9}));
    teams->joined = teams->joined && flips();
    teams->warp = std::min({one_of({0, 33, 1024}), teams->warp, block_threads * teams->elements});
  } else if (auto* columns = as<ir::Interchanged>(strategy)) {
    if (flips()) return pieces_of_gpu(one_of({1, 7, 1024}));
    *columns = {one_of({1, 8, 32, 256}), one_of({1, 8, 64})};
  } else if (auto* product = as<ir::Contraction>(strategy)) {
    resize(*product);
  } else if (auto* staged = as<ir::StagedTiles>(strategy)) {
    staged->rows = std::min(staged->rows, one_of({1, 3, 8, 32}));
    staged->points = std::min(staged->points, one_of({1, 7, 32, 256, 1024}));
    std::erase_if(staged->staged, [&](ir::NameId) { return below(4) == 0; });
    std::erase_if(staged->copied, [&](ir::NameId array) {
      return std::ranges::count(staged->staged, array) == 0 || below(4) == 0;
    });
    std::erase_if(staged->wide, [&](ir::NameId array) {
      return std::ranges::count(staged->copied, array) == 0 || below(4) == 0;
    });
  } else if (auto* blocks = as<ir::RowBlocks>(strategy)) {
    leave_copies(*blocks);
  } else if (auto* tiles = as<ir::LookBack>(strategy)) {
    tiles->stretch = std::min(tiles->stretch, one_of({1, 3, 9}));
    if (!is_map && flips()) return ir::InStages{one_of({1, 3, 1024}), one_of({1, 8, 64})};
  } else if (auto* loop = as<ir::Compaction>(strategy)) {
    if (flips()) return ir::InStages{one_of({1, 3, 1024}), one_of({1, 8, 64})};
    loop->width = std::min(loop->width, one_of({1, 3, 9}));
  } else if (auto* stages = as<ir::InStages>(strategy)) {
    if (flips()) return pieces_of_gpu(one_of({1, 7, 1024}));
    stages->blocks = one_of({1, 3, 1024});
    stages->elements = one_of({1, 8, 64});
  } else if (auto* bins = as<ir::BlockBins>(strategy)) {
    bins->elements = one_of({1, 8, 64});
    bins->rounds = one_of({0, 1});
    bins->at_once = one_of({2, 3, 32});
    bins->most_at_once = one_of({1, 2}) * bins->at_once;
  } else if (auto* locks = as<ir::LockedBins>(strategy)) {
    locks->most = one_of({1, 3, locks->most});
  }
  return strategy;
}

ir::Pointwise RandomSchedules::iterations(ir::Pointwise chosen) {
  chosen.whole_vectors = one_of({0, 0, 3, chosen.whole_vectors});
  chosen.rolled = flips();
  return chosen;
}

ir::Settings RandomSchedules::settings(ir::Settings settings) {
  settings.task = one_of({256, 4096, settings.task});
  settings.combined = one_of({1, 4, 1000});
  settings.copied = one_of({1, 2, 1000});
  settings.short_array = one_of({0, 1, 16});
  settings.streamed_bytes = one_of({0, 256, settings.streamed_bytes});
  settings.fetched_ahead = one_of({0, 24, settings.fetched_ahead});
  settings.turned = one_of({0, 0, 1, 2, 3});
  settings.tile = one_of({0, 4096, settings.tile});
  settings.tile_rows = one_of({1, 2, 3});
  settings.staged_rows = one_of({1, 5, 8});
  settings.streams = one_of({1, 2, 3, 4});
  settings.look = one_of({1, 64, 100000});
  settings.close_lanes = one_of({1, 2, 4, 16});
  settings.rolled_nests = flips();
  if (settings.points == ir::PointsBy::kernels) {
    settings.points_a_thread = one_of({1, 3, 4});
    settings.arena_ratio = one_of({64, 256});
    settings.arena_expansions = one_of({1, 4});
  }
  return settings;
}

ir::Interchanged RandomSchedules::interchanged() {
  return {one_of({1, 3, 16, 256}), one_of({1, 2, 4, 7})};
}

ir::InPieces RandomSchedules::streams() {
  return {.streams = one_of({1, 2, 3, 8}), .line = one_of({1, 3, 16})};
}

ir::HeldBlocks RandomSchedules::held_blocks() { return {one_of({1, 7, 64, 256}), {}}; }

}  // namespace dagaz::plan
