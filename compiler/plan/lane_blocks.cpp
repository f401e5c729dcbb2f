#include "plan/lane_blocks.h"

#include <algorithm>
#include <iterator>

#include "ir/names.h"
#include "plan/array_uses.h"
#include "plan/copies.h"
#include "plan/lane_tasks.h"
#include "plan/operators.h"
#include "plan/spaces.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::NameId;
using ir::Operand;
using ir::ScalarType;

// ---------------------------------------------------------------- maps

namespace {

bool is_looped_over(NameId array, const ir::Body& body) {
  return std::any_of(body.statements.begin(), body.statements.end(), [&](const auto& one) {
    const auto* map = as<ir::MapScanReduce>(one.operation);
    return map && std::find(map->arrays.begin(), map->arrays.end(), array) != map->arrays.end();
  });
}

/// Arrays from outside with a part of several dimensions for each point, which the points' loops
/// read and whose elements lie apart along the points.
std::vector<NameId> arrays_apart(const Surroundings& around, const ir::Body& body,
                                 NameId points) {
  ir::NameSet inside;
  std::vector<NameId> found;
  for (const ir::Statement& one : body.statements) {
    for (const ir::Binder& result : one.results) inside.insert(result.name);
    const auto* index = as<ir::Index>(one.operation);
    if (!index || inside.contains(index->array)) continue;
    if (index->indices != std::vector<Operand>{points}) continue;
    if (around.names.type(index->array).rank() < 3) continue;
    if (around.layouts.of(index->array).strides[0] == 1) continue;
    if (is_looped_over(one.results[0].name, body)) found.push_back(index->array);
  }
  std::sort(found.begin(), found.end(), [](NameId a, NameId b) { return a.index < b.index; });
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

/// A dimension for the points of a row and perhaps one for rows, by position.
struct Dimensions {
  std::size_t points;
  std::optional<std::size_t> rows;
};

/// What the innermost loops may do where the elements of a vector lie apart.
struct Reading {
  bool may_pack;
  bool may_gather;
};

/// Whether rows of the `result`-th result are collected before they go to `target`.
bool is_collected(const ir::LaneBlocks& blocks, const LaneArrayValue& target, std::size_t result) {
  const std::vector<int>& all = blocks.collected;
  return are_stretches(target) &&
         std::find(all.begin(), all.end(), static_cast<int>(result)) != all.end();
}

void read_points(LaneReading& lanes, const MapAt& candidate) {
  const ir::SegmentedMap& map = candidate.map;
  std::vector<std::optional<LaneArrayValue>> parts;
  std::vector<std::optional<LaneArrayValue>> rows;
  for (std::size_t k = 0; k < candidate.results.size(); ++k) {
    const ir::Type& type = map.result_types[k];
    parts.emplace_back();
    if (type.kind == ir::TypeKind::value) {
      parts.back() = lanes.target(map.space, type,
                                  candidate.around.layouts.of(candidate.results[k].name));
    }
    rows.emplace_back();
    if (parts.back() && type.is_array() && !is_collected(lanes.blocks(), *parts.back(), k)) {
      rows.back() = parts.back();
    }
  }
  const std::vector<LaneResult> results = lanes.read(map.body, rows);
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (parts[k] && lanes.is_legal()) lanes.put(*parts[k], results[k], map.result_types[k]);
  }
}

std::size_t copies_of(const ir::Version& version) {
  const auto& blocks = std::get<ir::LaneBlocks>(version.strategy);
  return blocks.packed.size() + blocks.laid_out.size();
}

/// Whether the numbers of a block can be those of a block of this map.
bool has_shape(const MapAt& at, const ir::LaneBlocks& blocks) {
  const auto dimensions = static_cast<int>(at.map.space.size());
  if (blocks.points < 0 || blocks.points >= dimensions || blocks.rows >= dimensions) return false;
  if (blocks.rows < -1 || blocks.rows == blocks.points) return false;
  if (blocks.block_rows < 1 || blocks.columns < 1) return false;
  if (blocks.least_chunk < 1 || blocks.chunk < blocks.least_chunk) return false;
  if (blocks.rows < 0 && blocks.block_rows > 1) return false;
  if (!is_power_of_two(blocks.width) || blocks.width < 2 || blocks.width > most_lanes) return false;
  if (blocks.block_rows * blocks.columns > most_vectors) return false;
  return blocks.remainder == ir::Remainder::moved ||
         (dimensions == 1 && at.where == Around::host);
}

/// Whether points add to accumulators or write over what they read: then none may run twice.
bool must_run_once(const MapAt& at) {
  const bool accumulates = std::any_of(
      at.map.result_types.begin(), at.map.result_types.end(),
      [](const ir::Type& type) { return type.kind == ir::TypeKind::accumulator; });
  return accumulates || std::any_of(at.map.body.results.begin(), at.map.body.results.end(),
                                    [&](const Operand& one) {
    return one.is_name() && at.around.overwritten_by(one.name()).has_value();
  });
}

/// Which rows of results can be collected before they are turned over to where they go.
bool can_collect(const ir::Type& type, const ir::LaneBlocks& blocks) {
  const bool are_rows = type.kind == ir::TypeKind::value && type.is_array();
  return are_rows && can_turn_over(type, blocks.width) &&
         std::all_of(type.shape.begin(), type.shape.end(),
                     [](const Operand& size) { return size.is_constant(); });
}

/// Those that the first caches hold for all points of a block.
std::vector<int> worth_collecting(const MapAt& at, const ir::LaneBlocks& blocks) {
  const std::int64_t points = std::int64_t{blocks.block_rows} * blocks.columns * blocks.width;
  std::vector<int> found;
  for (std::size_t k = 0; k < at.map.result_types.size(); ++k) {
    const ir::Type& type = at.map.result_types[k];
    if (!can_collect(type, blocks)) continue;
    std::int64_t bytes = ir::byte_size(type.element) * points;
    for (const Operand& size : type.shape) bytes *= ir::integer_value(size.constant());
    if (bytes <= at.around.tunables().collected_bytes) found.push_back(static_cast<int>(k));
  }
  return found;
}

/// A version, and what its innermost loops do.
struct MapVersion {
  ir::Version version;
  LaneWork work;
};

/// `blocks` with what has to be serialised and what is packed, under the guards that they need;
/// nothing where the map cannot run so.
std::optional<MapVersion> read_blocks(const MapAt& at, ir::LaneBlocks blocks, Packing packing) {
  const ir::SegmentedMap& map = at.map;
  const Surroundings& around = at.around;
  const bool once = must_run_once(at);
  if (once && (at.where != Around::host || blocks.remainder == ir::Remainder::moved)) {
    return std::nullopt;
  }
  blocks.packed.clear();
  blocks.laid_out.clear();
  blocks.serialised.clear();
  blocks.inner_rows.clear();
  blocks.turned.clear();
  std::erase_if(blocks.collected, [&](int k) {
    return k < 0 || k >= std::ssize(map.result_types) ||
           !can_collect(map.result_types[static_cast<std::size_t>(k)], blocks);
  });
  const bool moved = blocks.remainder == ir::Remainder::moved;
  const std::int64_t span = std::int64_t{blocks.columns} * blocks.width;
  const ir::SpaceDimension& along = map.space[static_cast<std::size_t>(blocks.points)];
  if (moved && is_known_below(along.extent, span)) return std::nullopt;
  LaneReading lanes(around, blocks);
  const bool has_rows = blocks.rows >= 0;
  if (at.where == Around::host && has_rows) {
    for (const NameId array : arrays_apart(around, map.body, along.index.name)) {
      lanes.lay_out(array);
    }
  }
  // The index of a single row is the same for all rows that statements inside have.
  const bool has_several = blocks.block_rows > 1;
  for (int d = 0; d < static_cast<int>(map.space.size()); ++d) {
    lanes.bind_index(map.space[static_cast<std::size_t>(d)].index.name,
                     has_several && d == blocks.rows, d == blocks.points);
  }
  const auto row = has_rows ? std::optional(map.space[static_cast<std::size_t>(blocks.rows)])
                            : std::nullopt;
  if (packing == Packing::allowed) {
    lanes.pack_rows(map.body, row ? std::optional(row->index.name) : std::nullopt);
  }
  read_points(lanes, at);
  if (!lanes.is_legal()) return std::nullopt;
  MapVersion read{{{}, lanes.blocks()}, lanes.work()};
  // Threads that share rows write to the same lines, and read each other's; sharing what is packed
  // is better still.
  auto& chosen = std::get<ir::LaneBlocks>(read.version.strategy);
  chosen.shares_rows = has_rows && !chosen.packed.empty();
  std::vector<ir::Guard>& guards = read.version.when;
  if (moved) add_guard(guards, along.extent, span);
  std::vector<Operand> packed = lanes.packed_widths();
  if (row) {
    if (is_known_below(row->extent, blocks.block_rows)) return std::nullopt;
    add_guard(guards, row->extent, blocks.block_rows);
    if (!packed.empty()) packed = {row->extent};  // rows read what is packed again
    if (!lanes.blocks().laid_out.empty()) packed.push_back(row->extent);
  }
  const auto worth = worth_packing(map.body, packed, at.around.tunables());
  if (!worth) return std::nullopt;
  guards.insert(guards.end(), worth->begin(), worth->end());
  return read;
}

// Blocks of rows for which a task packs: beside them that is little.
constexpr int least_packed_for = 8;

std::optional<MapVersion> map_blocks(const MapAt& at, const Dimensions& dimensions,
                                     const Reading& reading) {
  ir::LaneBlocks block =
      block_for(at.map.body, at.around, dimensions.rows.has_value(), at.where);
  block.points = static_cast<int>(dimensions.points);
  block.rows = dimensions.rows ? static_cast<int>(*dimensions.rows) : -1;
  block.collected = worth_collecting(at, block);
  const bool may_pack = reading.may_pack || at.map.space.size() == 1;
  auto read = read_blocks(at, block, may_pack ? Packing::allowed : Packing::forbidden);
  if (!read || !is_worthwhile(at.map.body, read->work, at.around.tunables())) return std::nullopt;
  if (!reading.may_gather && read->work.gathers > 0) return std::nullopt;
  auto& chosen = std::get<ir::LaneBlocks>(read->version.strategy);
  if (chosen.rows >= 0 && !chosen.packed.empty()) chosen.least_chunk = least_packed_for;
  return read;
}

std::optional<ir::Version> whole_blocks(const MapAt& at, ir::LaneBlocks block) {
  block.remainder = ir::Remainder::serialised;
  block.collected = worth_collecting(at, block);
  auto read = read_blocks(at, block, Packing::allowed);
  if (!read || !is_worthwhile(at.map.body, read->work, at.around.tunables())) return std::nullopt;
  return std::move(read->version);
}

/// Only whole blocks in lanes, the last points of the space one by one: of several vectors where
/// there are as many points, else of one.
std::vector<ir::Version> whole_blocks(const MapAt& at) {
  if (at.map.space.size() != 1) return {};
  std::vector<ir::Version> found;
  ir::LaneBlocks block = block_for(at.map.body, at.around, false, Around::host);
  const std::int64_t span = std::int64_t{block.columns} * block.width;
  if (block.columns > 1) {
    if (auto wide = whole_blocks(at, block)) {
      add_guard(wide->when, at.map.space[0].extent, span);
      found.push_back(std::move(*wide));
    }
    block.columns = 1;
  }
  if (auto narrow = whole_blocks(at, block)) found.push_back(std::move(*narrow));
  return found;
}

/// The first of `dimensions` that copies least; before it the one of which as few are copied whose
/// rows read fewer vectors for themselves, if there is one: it needs so many rows.
std::vector<ir::Version> best_blocks(const MapAt& candidate,
                                     const std::vector<Dimensions>& dimensions,
                                     const Reading& reading) {
  std::optional<MapVersion> best;
  std::optional<MapVersion> sharing;
  const auto shares_more = [&](const MapVersion& read) {
    const MapVersion& rival = sharing ? *sharing : *best;
    return rival.work.row_vectors > read.work.row_vectors &&
           copies_of(best->version) == copies_of(read.version);
  };
  for (const Dimensions& one : dimensions) {
    const bool is_least = best && copies_of(best->version) == 0;
    if (is_least && (!one.rows || best->work.row_vectors == 0)) continue;
    std::optional<MapVersion> read = map_blocks(candidate, one, reading);
    if (!read) continue;
    if (!best || copies_of(best->version) > copies_of(read->version)) {
      best = std::move(read);
      sharing.reset();
    } else if (one.rows && shares_more(*read)) {
      sharing = std::move(read);
    }
  }
  std::vector<ir::Version> found;
  if (sharing) found.push_back(std::move(sharing->version));
  if (best) found.push_back(std::move(best->version));
  return found;
}

/// For points with loops whose rows may be shorter than the blocks of `wide` need: one vector, of
/// half the width if there are several rows, and as many sums in registers by more of these.
std::optional<ir::Version> narrow_blocks(const MapAt& at, const ir::Version& wide, int columns) {
  auto blocks = std::get<ir::LaneBlocks>(wide.strategy);
  const ir::SpaceDimension& along = at.map.space[static_cast<std::size_t>(blocks.points)];
  const bool may_be_short = !along.extent.is_constant();
  if (!may_be_short || !has_loops(at.map.body)) return std::nullopt;
  if (at.where != Around::host && blocks.rows >= 0) return std::nullopt;
  if (blocks.width < 8 || blocks.columns <= columns) return std::nullopt;
  if (columns > 1 && (blocks.rows >= 0 || at.where != Around::host)) return std::nullopt;
  const bool packs = copies_of(wide) > 0;
  if (blocks.rows >= 0) blocks.block_rows *= blocks.columns;
  if (blocks.rows >= 0 || at.where != Around::host) blocks.width /= 2;
  blocks.columns = columns;
  blocks.collected = worth_collecting(at, blocks);
  auto read = read_blocks(at, blocks, packs ? Packing::allowed : Packing::forbidden);
  if (!read) return std::nullopt;
  return std::move(read->version);
}

}  // namespace

std::optional<ir::Version> completed_blocks(const MapAt& at, const ir::LaneBlocks& blocks,
                                            Packing packing) {
  if (!has_shape(at, blocks)) return std::nullopt;
  auto read = read_blocks(at, blocks, packing);
  if (!read) return std::nullopt;
  return std::move(read->version);
}

std::optional<ir::Version> unpacked_product(const MapAt& at, const ir::Contraction& product) {
  std::size_t reductions = 0;
  for (const ir::Statement& one : at.map.body.statements) {
    const auto* loop = as<ir::MapScanReduce>(one.operation);
    if (loop != nullptr) reductions += loop->reductions.size();
  }
  const bool is_single_sum = reductions == 1 && product.columns > 1;
  // Half of the registers are left for what the sums add.
  const std::int64_t sums = at.around.tunables().lane_rows * at.around.tunables().lane_columns;
  if (2 * sums > at.around.target.registers || !is_single_sum ||
      product.point_packing != ir::Packing::by_points) {
    return std::nullopt;
  }
  ir::LaneBlocks blocks;
  blocks.points = product.points;
  blocks.rows = product.rows;
  blocks.block_rows = static_cast<int>(at.around.tunables().lane_rows);
  blocks.columns = static_cast<int>(at.around.tunables().lane_columns);
  blocks.width = product.width;
  if (!has_shape(at, blocks)) return std::nullopt;
  auto read = read_blocks(at, blocks, Packing::forbidden);
  if (!read || read->work.gathers > 0 || copies_of(read->version) > 0) return std::nullopt;
  const auto& found = std::get<ir::LaneBlocks>(read->version.strategy);
  if (!found.serialised.empty()) return std::nullopt;
  return std::move(read->version);
}

std::vector<ir::Version> map_in_lanes(const MapAt& candidate) {
  const ir::SegmentedMap& map = candidate.map;
  if (map.space.empty()) return {};
  if (must_run_once(candidate)) {
    if (candidate.where != Around::host) return {};
    return with_enough_blocks(candidate, whole_blocks(candidate));
  }
  const std::size_t last = map.space.size() - 1;
  std::vector<Dimensions> dimensions = {{last, std::nullopt}};
  if (last > 0) {
    dimensions = {{last, last - 1}, {last - 1, last}};
    for (std::size_t outer = 0; outer + 1 < last; ++outer) dimensions.push_back({last, outer});
    dimensions.push_back({last, std::nullopt});
    dimensions.push_back({last - 1, std::nullopt});
  }
  std::vector<ir::Version> ways;
  const auto add = [&](const Reading& reading) {
    std::vector<ir::Version> found = best_blocks(candidate, dimensions, reading);
    std::move(found.begin(), found.end(), std::back_inserter(ways));
    return !found.empty();
  };
  if (!add({.may_pack = false, .may_gather = false})) {
    add({.may_pack = true, .may_gather = false});
    if (!add({.may_pack = false, .may_gather = true}) && ways.empty()) {
      add({.may_pack = true, .may_gather = true});
    }
  }
  const std::vector<ir::Version> wide = ways;
  for (const ir::Version& one : wide) {
    for (const int columns : {2, 1}) {
      if (auto narrow = narrow_blocks(candidate, one, columns)) ways.push_back(std::move(*narrow));
    }
  }
  return with_enough_blocks(candidate, std::move(ways));
}

// ---------------------------------------------------------------- maps inside a task

// Loops without loops inside run in vectors by themselves, if they may.
static bool needs_lanes(const ir::Body& body) {
  return has_loops(body) || are_vectors_in_lanes_only(body);
}

std::optional<ir::SegmentedMap> nest_as_space(const Surroundings& around,
                                              const ir::MapScanReduce& map,
                                              const std::vector<ir::Binder>& results,
                                              ir::Names& names) {
  if (!is_plain_map(map, names) || results.empty() || !needs_lanes(map.map.body))
    return std::nullopt;
  // Blocks may share points, which must not be computed twice where they write over what they read.
  const bool overwrites = std::any_of(results.begin(), results.end(), [&](const auto& one) {
    return around.overwritten_by(one.name).has_value();
  });
  if (overwrites) return std::nullopt;
  ir::SegmentedMap space = as_space(map, names);
  if (!needs_lanes(space.body)) return std::nullopt;
  return space;
}

}  // namespace dagaz::plan
