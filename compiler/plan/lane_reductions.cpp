#include "plan/lane_reductions.h"

#include <algorithm>
#include <bit>

#include "ir/value_count.h"
#include "plan/element_reads.h"
#include "plan/operators.h"
#include "plan/places.h"
#include "plan/target.h"
#include "plan/wanted.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::Operand;

namespace {

/// A version, what its innermost loops do, and which values count neighbouring points.
struct ReductionVersion {
  ir::Version version;
  LaneWork work;
  std::vector<int> counting;
};

/// The first stage of a reduction in `blocks`, along its innermost dimension.
std::optional<ReductionVersion> read_reduction(const Surroundings& around,
                                               const ir::SegmentedReduce& reduction,
                                               const std::vector<ir::Binder>& results,
                                               const ir::LaneBlocks& blocks) {
  const std::size_t reduced = ir::value_count(reduction.operators);
  for (const ir::ReduceOperator& one : reduction.operators) {
    if (!are_scalars(one.op.result_types)) return std::nullopt;
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
    parts.emplace_back();
    rows.emplace_back();
    if (type.kind != ir::TypeKind::value) continue;
    parts.back() = lanes.target(reduction.space, type, around.layouts.of(results[k].name));
    if (type.is_array()) rows.back() = parts.back();
  }
  lanes.pack_rows(reduction.body, std::nullopt);
  const std::vector<LaneResult> values = lanes.read(reduction.body, rows);
  if (!lanes.is_legal()) return std::nullopt;
  std::size_t position = 0;
  std::vector<int> counting;
  for (std::size_t k = 0; k < reduction.operators.size(); ++k) {
    std::vector<LaneValue> inputs;
    for (std::size_t v = 0; v < running[k].size(); ++v) {
      if (!values[position].scalar) return std::nullopt;
      inputs.push_back(*values[position].scalar);
      if (inputs.back().is_consecutive()) counting.push_back(static_cast<int>(position));
      ++position;
    }
    lanes.combine(reduction.operators[k].op, running[k], inputs);
  }
  for (std::size_t k = reduced; k < values.size(); ++k) {
    if (parts[k]) lanes.put(*parts[k], values[k], reduction.result_types[k]);
  }
  if (!lanes.is_legal()) return std::nullopt;
  const auto worth = worth_packing(reduction.body, lanes.packed_widths(), around.tunables());
  if (!worth) return std::nullopt;
  return ReductionVersion{{*worth, lanes.blocks()}, lanes.work(), std::move(counting)};
}

/// Bytes of the values that one point's lane carries.
std::int64_t carried_bytes(const ir::SegmentedReduce& reduction) {
  std::int64_t bytes = 0;
  for (const ir::ReduceOperator& one : reduction.operators) {
    for (const ir::Type& type : one.op.result_types) bytes += ir::byte_size(type.element);
  }
  return bytes;
}

/// Blocks of a reduction have columns and a width; points that are left are serialised.
ir::LaneBlocks of_reduction(ir::LaneBlocks blocks, const ir::SegmentedReduce& reduction) {
  if (walks_stretches(blocks)) blocks.rows = static_cast<int>(reduction.space.size()) - 1;
  blocks.points = static_cast<int>(reduction.space.size()) - 1;
  blocks.remainder = ir::Remainder::serialised;
  return blocks;
}

std::vector<ElementRead> reads_of(const ir::SegmentedReduce& reduction,
                                  const Surroundings& around) {
  return element_reads(reduction.body, reduction.space.back().index.name, around);
}

void fetch(ir::LaneBlocks& blocks, std::int64_t ahead, const std::vector<ElementRead>& reads) {
  blocks.ahead = static_cast<int>(ahead);
  blocks.fetched.clear();
  if (ahead == 0) return;
  for (const ElementRead& one : reads) blocks.fetched.push_back(one.result);
}

/// A single stream of memory is fetched further ahead than processors do, which stop at the end of
/// a page.
void fetch_neighbours(ir::LaneBlocks& blocks, const ir::SegmentedReduce& reduction,
                      const Surroundings& around) {
  const std::vector<ElementRead> reads = reads_of(reduction, around);
  const Tunables& tunables = around.tunables();
  if (std::ssize(reads) <= tunables.fetched_arrays) fetch(blocks, tunables.fetched_ahead, reads);
}

/// Stretches whose lengths are odd multiples of a cache line begin in different sets of a cache;
/// the pages of few are quickly found.  No processor fetches ahead of so many by itself.
ir::LaneBlocks in_stretches(ir::LaneBlocks blocks, const ir::SegmentedReduce& reduction,
                            const Surroundings& around) {
  const TargetDescription& target = around.target;
  constexpr int smallest_element = 4;
  const std::vector<ElementRead> reads = reads_of(reduction, around);
  const std::int64_t streams = std::max<std::int64_t>(std::ssize(reads) * blocks.width, 1);
  const std::int64_t most =
      std::min(target.tunables.lane_stretches, target.tunables.stretches_at_once / streams);
  blocks.columns = static_cast<int>(
      std::clamp<std::int64_t>(blocks.columns, 1, std::max<std::int64_t>(most, 1)));
  blocks.rows = blocks.points;
  blocks.block_rows = target.cache_line_bytes / smallest_element;
  fetch(blocks, target.tunables.stretches_ahead, reads);
  return blocks;
}

/// Half of the registers hold values that are carried, the others what is computed.
int most_columns(const Surroundings& around, const ir::SegmentedReduce& reduction, int width) {
  const TargetDescription& target = around.target;
  const std::int64_t bytes = std::int64_t{target.registers} * target.register_bytes / 2;
  const std::int64_t column = carried_bytes(reduction) * width;
  return static_cast<int>(std::max<std::int64_t>(bytes / std::max<std::int64_t>(column, 1), 1));
}

/// A vector of points fills a register, and carries no more than an eighth of all registers hold:
/// an operator on a number and its place compares and selects several times what it carries.
int fitting_width(const Surroundings& around, const ir::SegmentedReduce& reduction, int width) {
  const TargetDescription& target = around.target;
  std::int64_t largest = 1;
  for (const ir::ReduceOperator& one : reduction.operators) {
    for (const ir::Type& type : one.op.result_types) {
      largest = std::max<std::int64_t>(largest, ir::byte_size(type.element));
    }
  }
  const std::int64_t bytes = std::int64_t{target.registers} * target.register_bytes / 8;
  const auto fits = static_cast<std::uint64_t>(
      std::max<std::int64_t>(bytes / std::max<std::int64_t>(carried_bytes(reduction), 1), 1));
  const auto full = static_cast<std::uint64_t>(target.register_bytes / largest);
  return std::min(width, static_cast<int>(std::bit_floor(std::max(fits, full))));
}

/// Of the values that count neighbouring points those of which lanes may keep steps.  Lanes begin
/// with elements, which are made by other code than those that follow.
std::vector<int> places_of(const Surroundings& around, const ir::SegmentedReduce& reduction,
                           const std::vector<ir::Binder>& results,
                           const ReductionVersion& as_neighbours) {
  std::vector<int> places;
  if (!is_straight(reduction.body.statements)) return places;
  if (results.size() > ir::value_count(reduction.operators)) return places;
  int position = 0;
  for (const ir::ReduceOperator& one : reduction.operators) {
    for (std::size_t value = 0; value < one.neutral.size(); ++value, ++position) {
      const std::vector<int>& all = as_neighbours.counting;
      const bool counts = std::find(all.begin(), all.end(), position) != all.end();
      if (counts && only_chooses(one.op, value, around.names)) places.push_back(position);
    }
  }
  return places;
}

/// Lanes that keep steps have no more of them than they can number.
void bound_steps(ir::Version& version, const Operand& extent) {
  const auto& blocks = std::get<ir::LaneBlocks>(version.strategy);
  if (blocks.places.empty()) return;
  const std::int64_t most = most_steps * blocks.columns * blocks.width;
  version.when.push_back({{most, {}}, {1, {extent}}});
}

/// Lanes for a body without loops: operators that LLVM makes no vectors of, or points of much work,
/// whose branches and additions are no matter for LLVM either.
std::vector<ir::Version> lanes_of_points(const Surroundings& around,
                                         const ir::SegmentedReduce& reduction,
                                         const std::vector<ir::Binder>& results,
                                         ir::LaneBlocks blocks) {
  const bool are_simple =
      std::all_of(reduction.operators.begin(), reduction.operators.end(),
                  [](const ir::ReduceOperator& one) { return is_simple(one.op); });
  blocks.width = fitting_width(around, reduction, blocks.width);
  blocks.columns = std::min(blocks.columns, most_columns(around, reduction, blocks.width));
  // What neighbours read in unit steps a lane reads so, too.
  const auto as_neighbours = read_reduction(around, reduction, results, blocks);
  if (!as_neighbours) return {};
  const bool pays = are_simple
                        ? is_worthwhile(reduction.body, as_neighbours->work, around.tunables())
                        : reads_enough_in_steps(as_neighbours->work, around.tunables());
  if (!pays) return {};
  blocks.places = places_of(around, reduction, results, *as_neighbours);
  if (are_commutative(reduction.operators)) {
    fetch_neighbours(blocks, reduction, around);
  } else {
    blocks = in_stretches(blocks, reduction, around);
  }
  const std::int64_t least = around.tunables().lane_elements * blocks.columns * blocks.width;
  const Operand& extent = reduction.space.back().extent;
  if (is_known_below(extent, least)) return {};
  auto read = read_reduction(around, reduction, results, blocks);
  if (!read) return {};
  add_guard(read->version.when, extent, least);
  bound_steps(read->version, extent);
  return {std::move(read->version)};
}

}  // namespace

std::vector<ir::Version> reduction_in_lanes(const Surroundings& around,
                                            const ir::SegmentedReduce& reduction,
                                            const std::vector<ir::Binder>& results) {
  ir::LaneBlocks blocks =
      of_reduction(block_for(reduction.body, around, false, Around::host), reduction);
  if (!has_loops(reduction.body)) return lanes_of_points(around, reduction, results, blocks);
  if (!are_commutative(reduction.operators)) blocks = in_stretches(blocks, reduction, around);
  auto read = read_reduction(around, reduction, results, blocks);
  if (!read || !is_worthwhile(reduction.body, read->work, around.tunables())) return {};
  return {std::move(read->version)};
}

int link_of_stretches(const ir::Schedule& schedule, const Tunables& tunables) {
  for (const ir::Version& one : schedule.versions) {
    const auto* blocks = as<ir::LaneBlocks>(one.strategy);
    if (blocks == nullptr || !walks_stretches(*blocks) || !blocks->places.empty()) continue;
    if (tunables.lane_stretch == 0) continue;
    const std::int64_t units = tunables.lane_stretch / blocks->block_rows;
    const std::int64_t stretch = std::max<std::int64_t>(units - 1 + units % 2, 1);  // an odd one
    return static_cast<int>(stretch * blocks->block_rows * blocks->columns * blocks->width);
  }
  return 0;
}

std::optional<ir::Version> completed_blocks(const Surroundings& around,
                                            const ir::SegmentedReduce& reduction,
                                            const std::vector<ir::Binder>& results,
                                            const ir::LaneBlocks& blocks) {
  const bool has_shape = blocks.columns >= 1 && blocks.columns <= most_vectors &&
                         is_power_of_two(blocks.width) && blocks.width >= 2 &&
                         blocks.width <= most_lanes && blocks.block_rows >= 1 &&
                         (walks_stretches(blocks) || (blocks.rows < 0 && blocks.block_rows == 1));
  if (!has_shape || (!walks_stretches(blocks) && !are_commutative(reduction.operators))) {
    return std::nullopt;
  }
  ir::LaneBlocks sized;
  sized.columns = blocks.columns;
  sized.width = blocks.width;
  sized.points = blocks.points;
  sized.rows = blocks.rows;
  sized.block_rows = blocks.block_rows;
  fetch(sized, blocks.ahead, reads_of(reduction, around));
  keep_wanted(sized.fetched, blocks.fetched);
  ir::LaneBlocks neighbours = sized;
  neighbours.rows = -1;
  neighbours.block_rows = 1;
  if (const auto as_neighbours =
          read_reduction(around, reduction, results, of_reduction(neighbours, reduction))) {
    sized.places = places_of(around, reduction, results, *as_neighbours);
    keep_wanted(sized.places, blocks.places);
  }
  auto read = read_reduction(around, reduction, results, of_reduction(sized, reduction));
  if (!read) return std::nullopt;
  bound_steps(read->version, reduction.space.back().extent);
  return std::move(read->version);
}

}  // namespace dagaz::plan
