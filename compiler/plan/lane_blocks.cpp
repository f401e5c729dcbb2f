#include "plan/lane_blocks.h"

#include <algorithm>
#include <bit>

#include "ir/names.h"
#include "plan/array_uses.h"
#include "plan/target.h"
#include "plan/operators.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::NameId;
using ir::Operand;
using ir::ScalarType;

// ---------------------------------------------------------------- shapes

namespace {

constexpr int most_vectors = 64;  // of a block
constexpr int most_lanes = 64;    // of a vector

std::int64_t operations_in(const ir::Body& body);

/// The largest number of scalar operations in a stretch of code without loops.
std::int64_t operations_in(const ir::Operation& operation) {
  if (as<ir::Scalar>(operation)) return 1;
  if (const auto* branch = as<ir::Branch>(operation)) {
    return operations_in(branch->then_body) + operations_in(branch->else_body);
  }
  return 0;
}

std::int64_t operations_in(const ir::Body& body) {
  std::int64_t straight = 0;
  std::int64_t nested = 0;
  for (const ir::Statement& one : body.statements) {
    straight += operations_in(one.operation);
    if (const auto* map = as<ir::MapScanReduce>(one.operation)) {
      nested = std::max(nested, operations_in(map->map.body));
    } else if (const auto* loop = as<ir::Loop>(one.operation)) {
      nested = std::max(nested, operations_in(loop->body));
    }
  }
  return std::max(straight, nested);
}

/// The largest number of sums that a loop carries.
std::int64_t sums_in(const ir::Body& body) {
  std::int64_t most = 0;
  for (const ir::Statement& one : body.statements) {
    const auto* map = as<ir::MapScanReduce>(one.operation);
    if (!map) continue;
    std::int64_t sums = 0;
    for (const ir::ReduceOperator& each : map->reductions) {
      sums += static_cast<std::int64_t>(each.neutral.size());
    }
    most = std::max({most, sums, sums_in(map->map.body)});
  }
  return most;
}

/// Inside a task sizes tend to be smaller: blocks are, too.  The sums of a block stay in registers.
ir::LaneBlocks block_for(const ir::Body& body, const Surroundings& around, bool has_rows,
                         Around where) {
  const ir::Names& names = around.names;
  const Tunables& tunables = around.tunables();
  const auto at_least_one = [](std::int64_t value) {
    return static_cast<int>(std::max<std::int64_t>(value, 1));
  };
  std::int64_t largest = 4;
  for (const NameId name : ir::bound_names(body)) {
    if (names.type(name).element == ScalarType::f64) largest = 8;
  }
  ir::LaneBlocks block;
  const auto width = static_cast<unsigned>(tunables.lane_bytes / largest);
  block.width = static_cast<int>(std::bit_floor(width));
  // More than registers hold for several vectors.
  if (operations_in(body) > tunables.lane_operations) return block;
  if (has_rows) {
    block.block_rows =
        at_least_one(where == Around::task ? 2 * tunables.lane_rows : tunables.lane_rows);
    block.columns = at_least_one(tunables.lane_columns / (where == Around::task ? 4 : 2));
  } else {
    block.columns =
        at_least_one(where == Around::task ? tunables.lane_columns / 2 : tunables.lane_columns);
  }
  const std::int64_t sums = sums_in(body);
  const auto is_too_large = [&](int vectors) {
    return vectors > most_vectors || (sums * vectors > tunables.lane_sums && vectors > 1);
  };
  while (is_too_large(block.block_rows * block.columns)) {
    (block.block_rows > 1 ? block.block_rows : block.columns) /= 2;
  }
  return block;
}

bool has_loops(const ir::Body& body) {
  return std::any_of(body.statements.begin(), body.statements.end(), [](const ir::Statement& one) {
    return as<ir::MapScanReduce>(one.operation) || as<ir::Loop>(one.operation);
  });
}

bool is_looped_over(NameId array, const ir::Body& body) {
  return std::any_of(body.statements.begin(), body.statements.end(), [&](const auto& one) {
    const auto* map = as<ir::MapScanReduce>(one.operation);
    return map && std::find(map->arrays.begin(), map->arrays.end(), array) != map->arrays.end();
  });
}

/// Arrays with a part of several dimensions for each point, which the points' loops read and whose
/// elements lie apart along the points.
std::vector<NameId> arrays_apart(const Surroundings& around, const ir::Body& body,
                                 NameId points) {
  std::vector<NameId> found;
  for (const ir::Statement& one : body.statements) {
    const auto* index = as<ir::Index>(one.operation);
    if (!index || index->indices != std::vector<Operand>{points}) continue;
    if (around.names.type(index->array).rank() < 3) continue;
    if (around.layouts.of(index->array).strides[0] == 1) continue;
    if (is_looped_over(one.results[0].name, body)) found.push_back(index->array);
  }
  std::sort(found.begin(), found.end(), [](NameId a, NameId b) { return a.index < b.index; });
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

/// Whether lanes were worth it: there are loops, and the innermost reach memory in unit steps, or
/// compute a lot for each vector that they gather.
bool is_worthwhile(const LaneWork& work, const Tunables& tunables) {
  return work.depth > 0 && work.operations >= tunables.gather_operations * work.gathers;
}

/// Guards under which packed rows are read often enough; nothing where it is known that they are
/// not. What sizes inside the body are nobody knows before.
std::optional<std::vector<ir::Guard>> worth_packing(const ir::Body& body,
                                                    const std::vector<Operand>& widths,
                                                    const Tunables& tunables) {
  const auto reads = static_cast<int>(tunables.packed_reads);
  const auto inside = ir::bound_names(body);
  std::vector<ir::Guard> guards;
  for (const Operand& width : widths) {
    const bool unknown = width.is_name() && std::find(inside.begin(), inside.end(),
                                                      width.name()) != inside.end();
    if (unknown) continue;
    if (is_known_below(width, reads)) return std::nullopt;
    if (!width.is_constant()) guards.push_back(ir::at_least(width, reads));
  }
  return guards;
}

void add_guard(std::vector<ir::Guard>& guards, const Operand& size, std::int64_t least) {
  if (!size.is_constant()) guards.push_back(ir::at_least(size, least));
}

// ---------------------------------------------------------------- maps

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
    if (parts.back() && type.is_array()) rows.back() = parts.back();
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

bool is_power_of_two(int number) { return number > 0 && (number & (number - 1)) == 0; }

/// Whether the numbers of a block can be those of a block of this map.
bool has_shape(const MapAt& at, const ir::LaneBlocks& blocks) {
  const auto dimensions = static_cast<int>(at.map.space.size());
  if (blocks.points < 0 || blocks.points >= dimensions || blocks.rows >= dimensions) return false;
  if (blocks.rows < -1 || blocks.rows == blocks.points) return false;
  if (blocks.block_rows < 1 || blocks.columns < 1 || blocks.chunk < 1) return false;
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

/// A version, and what its innermost loops do.
struct Read {
  ir::Version version;
  LaneWork work;
};

/// `blocks` with what has to be serialised and what is packed, under the guards that they need;
/// nothing where the map cannot run so.
std::optional<Read> read_blocks(const MapAt& at, ir::LaneBlocks blocks, Packing packing) {
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
  for (int d = 0; d < static_cast<int>(map.space.size()); ++d) {
    lanes.bind_index(map.space[static_cast<std::size_t>(d)].index.name, d == blocks.rows,
                     d == blocks.points);
  }
  const auto row = has_rows ? std::optional(map.space[static_cast<std::size_t>(blocks.rows)])
                            : std::nullopt;
  if (packing == Packing::allowed) {
    lanes.pack_rows(map.body, row ? std::optional(row->index.name) : std::nullopt);
  }
  read_points(lanes, at);
  if (!lanes.is_legal()) return std::nullopt;
  Read read{{{}, lanes.blocks()}, lanes.work()};
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

std::optional<ir::Version> map_blocks(const MapAt& at, const Dimensions& dimensions,
                                      const Reading& reading) {
  ir::LaneBlocks block =
      block_for(at.map.body, at.around, dimensions.rows.has_value(), at.where);
  block.points = static_cast<int>(dimensions.points);
  block.rows = dimensions.rows ? static_cast<int>(*dimensions.rows) : -1;
  const bool may_pack = reading.may_pack || at.map.space.size() == 1;
  auto read = read_blocks(at, block, may_pack ? Packing::allowed : Packing::forbidden);
  if (!read || !is_worthwhile(read->work, at.around.tunables())) return std::nullopt;
  if (!reading.may_gather && read->work.gathers > 0) return std::nullopt;
  return std::move(read->version);
}

/// Only whole blocks in lanes, the last points of the space one by one.
std::optional<ir::Version> whole_blocks(const MapAt& at) {
  if (at.map.space.size() != 1) return std::nullopt;
  ir::LaneBlocks block = block_for(at.map.body, at.around, false, Around::host);
  block.remainder = ir::Remainder::serialised;
  auto read = read_blocks(at, block, Packing::allowed);
  if (!read || !is_worthwhile(read->work, at.around.tunables())) return std::nullopt;
  return std::move(read->version);
}

/// The first of `candidates` that copies least.
std::optional<ir::Version> best_blocks(const MapAt& candidate,
                                       const std::vector<Dimensions>& dimensions,
                                       const Reading& reading) {
  std::optional<ir::Version> best;
  for (const Dimensions& one : dimensions) {
    std::optional<ir::Version> version = map_blocks(candidate, one, reading);
    if (!version || (best && copies_of(*best) <= copies_of(*version))) continue;
    best = std::move(version);
    if (copies_of(*best) == 0) break;
  }
  return best;
}

}  // namespace

std::optional<ir::Version> completed_blocks(const MapAt& at, const ir::LaneBlocks& blocks,
                                            Packing packing) {
  if (!has_shape(at, blocks)) return std::nullopt;
  auto read = read_blocks(at, blocks, packing);
  if (!read) return std::nullopt;
  return std::move(read->version);
}

std::vector<ir::Version> map_in_lanes(const MapAt& candidate) {
  const ir::SegmentedMap& map = candidate.map;
  if (map.space.empty()) return {};
  if (must_run_once(candidate)) {
    if (candidate.where != Around::host) return {};
    const auto version = whole_blocks(candidate);
    return version ? std::vector{*version} : std::vector<ir::Version>();
  }
  const std::size_t last = map.space.size() - 1;
  std::vector<Dimensions> dimensions = {{last, std::nullopt}};
  if (last > 0) {
    dimensions = {{last, last - 1}, {last - 1, last}};
    if (last > 1) dimensions.push_back({last, 0});
    dimensions.push_back({last, std::nullopt});
    dimensions.push_back({last - 1, std::nullopt});
  }
  std::vector<ir::Version> ways;
  const auto add = [&](const Reading& reading) {
    auto version = best_blocks(candidate, dimensions, reading);
    if (version) ways.push_back(std::move(*version));
    return version.has_value();
  };
  if (!add({.may_pack = false, .may_gather = false})) {
    add({.may_pack = true, .may_gather = false});
    if (!add({.may_pack = false, .may_gather = true}) && ways.empty()) {
      add({.may_pack = true, .may_gather = true});
    }
  }
  return ways;
}

// ---------------------------------------------------------------- reductions

namespace {

/// The first stage of a reduction in `blocks`, along its innermost dimension.
std::optional<Read> read_reduction(const Surroundings& around, const ir::SegmentedReduce& reduction,
                                   const std::vector<ir::Binder>& results,
                                   const ir::LaneBlocks& blocks) {
  std::size_t reduced = 0;
  for (const ir::ReduceOperator& one : reduction.operators) {
    if (!is_commutative(one) || !are_scalars(one.op.result_types)) return std::nullopt;
    reduced += one.neutral.size();
  }
  LaneReading lanes(around, blocks);
  std::vector<std::vector<LaneValue>> running;
  for (const ir::ReduceOperator& one : reduction.operators) {
    running.push_back(lanes.start(one.neutral));
  }
  for (std::size_t d = 0; d < reduction.space.size(); ++d) {
    lanes.bind_index(reduction.space[d].index.name, false, d + 1 == reduction.space.size());
  }
  std::vector<std::optional<LaneArrayValue>> parts(reduced);
  std::vector<std::optional<LaneArrayValue>> rows(reduced);
  for (std::size_t k = reduced; k < results.size(); ++k) {
    const ir::Type& type = reduction.result_types[k];
    if (type.kind != ir::TypeKind::value) return std::nullopt;
    parts.emplace_back(
        lanes.target(reduction.space, type, around.layouts.of(results[k].name)));
    rows.emplace_back();
    if (type.is_array()) rows.back() = parts.back();
  }
  lanes.pack_rows(reduction.body, std::nullopt);
  const std::vector<LaneResult> values = lanes.read(reduction.body, rows);
  if (!lanes.is_legal()) return std::nullopt;
  std::size_t position = 0;
  for (std::size_t k = 0; k < reduction.operators.size(); ++k) {
    std::vector<LaneValue> inputs;
    for (std::size_t v = 0; v < running[k].size(); ++v) {
      if (!values[position].scalar) return std::nullopt;
      inputs.push_back(*values[position++].scalar);
    }
    lanes.combine(reduction.operators[k].op, running[k], inputs);
  }
  for (std::size_t k = reduced; k < values.size(); ++k) {
    lanes.put(*parts[k], values[k], reduction.result_types[k]);
  }
  if (!lanes.is_legal()) return std::nullopt;
  const auto worth = worth_packing(reduction.body, lanes.packed_widths(), around.tunables());
  if (!worth) return std::nullopt;
  return Read{{*worth, lanes.blocks()}, lanes.work()};
}

/// Blocks of a reduction have columns and a width; points that are left are serialised.
ir::LaneBlocks of_reduction(ir::LaneBlocks blocks, const ir::SegmentedReduce& reduction) {
  blocks.points = static_cast<int>(reduction.space.size()) - 1;
  blocks.remainder = ir::Remainder::serialised;
  return blocks;
}

}  // namespace

std::vector<ir::Version> reduction_in_lanes(const Surroundings& around,
                                            const ir::SegmentedReduce& reduction,
                                            const std::vector<ir::Binder>& results) {
  const ir::LaneBlocks blocks = block_for(reduction.body, around, false, Around::host);
  auto read = read_reduction(around, reduction, results, of_reduction(blocks, reduction));
  if (!read || !is_worthwhile(read->work, around.tunables())) return {};
  return {std::move(read->version)};
}

std::optional<ir::Version> completed_blocks(const Surroundings& around,
                                            const ir::SegmentedReduce& reduction,
                                            const std::vector<ir::Binder>& results,
                                            const ir::LaneBlocks& blocks) {
  const bool has_shape = blocks.columns >= 1 && blocks.columns <= most_vectors &&
                         is_power_of_two(blocks.width) && blocks.width >= 2 &&
                         blocks.width <= most_lanes && blocks.rows < 0 && blocks.block_rows == 1;
  if (!has_shape) return std::nullopt;
  ir::LaneBlocks sized;
  sized.columns = blocks.columns;
  sized.width = blocks.width;
  auto read = read_reduction(around, reduction, results, of_reduction(sized, reduction));
  if (!read) return std::nullopt;
  return std::move(read->version);
}

// ---------------------------------------------------------------- maps inside a task

namespace {

bool is_plain_map(const ir::MapScanReduce& e, const ir::Names& names) {
  const bool has_arrays = std::all_of(e.arrays.begin(), e.arrays.end(), [&](NameId array) {
    return names.type(array).kind == ir::TypeKind::value;
  });
  return has_arrays && e.scans.empty() && e.reductions.empty() && !e.post;
}

/// The map that alone makes the results of a body whose other statements are views.
const ir::MapScanReduce* sole_map(const ir::Body& body, const ir::Names& names) {
  if (body.statements.empty()) return nullptr;
  const ir::Statement& last = body.statements.back();
  const auto* map = as<ir::MapScanReduce>(last.operation);
  if (!map || !is_plain_map(*map, names) || !last.tokens.empty()) return nullptr;
  if (last.results.size() != body.results.size()) return nullptr;
  for (std::size_t k = 0; k < last.results.size(); ++k) {
    if (body.results[k] != Operand(last.results[k].name)) return nullptr;
  }
  for (std::size_t k = 0; k + 1 < body.statements.size(); ++k) {
    const ir::Operation& one = body.statements[k].operation;
    if (!as<ir::Index>(one) && !as<ir::Slice>(one) && !as<ir::Permute>(one)) return nullptr;
  }
  return map;
}

}  // namespace

ir::SegmentedMap as_space(const ir::MapScanReduce& outer, ir::Names& names) {
  ir::SegmentedMap result;
  const ir::MapScanReduce* map = &outer;
  const ir::MapScanReduce* next = nullptr;
  for (;; map = next) {
    const NameId index = names.fresh("i", ir::scalar_of(ScalarType::i64));
    result.space.push_back({ir::Binder{index}, map->width});
    for (std::size_t k = 0; k < map->arrays.size(); ++k) {
      result.body.statements.push_back(
          {{map->map.parameters[k]}, ir::Index{map->arrays[k], {index}}});
    }
    next = result.space.size() < 2 ? sole_map(map->map.body, names) : nullptr;
    const auto& inner = map->map.body.statements;
    result.body.statements.insert(result.body.statements.end(), inner.begin(),
                                  next ? inner.end() - 1 : inner.end());
    if (!next) break;
  }
  result.body.results = map->map.body.results;
  result.result_types = map->map.result_types;
  return result;
}

std::optional<ir::SegmentedMap> nest_as_space(const Surroundings& around,
                                              const ir::MapScanReduce& map,
                                              const std::vector<ir::Binder>& results,
                                              ir::Names& names) {
  if (!is_plain_map(map, names) || results.empty() || !has_loops(map.map.body)) return std::nullopt;
  // Blocks may share points, which must not be computed twice where they write over what they read.
  const bool overwrites = std::any_of(results.begin(), results.end(), [&](const auto& one) {
    return around.overwritten_by(one.name).has_value();
  });
  if (overwrites) return std::nullopt;
  ir::SegmentedMap space = as_space(map, names);
  if (!has_loops(space.body)) return std::nullopt;
  return space;
}

}  // namespace dagaz::plan
