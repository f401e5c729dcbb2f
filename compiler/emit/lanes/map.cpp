// Maps in blocks of lanes.  Which blocks these are, and what else a schedule says of them, is
// plan/lane_blocks.h's.
//
// A block that would cross the end of a dimension is moved back, so that a few points are computed
// twice; where results lie in the place of what points read, they are stored once.  Where points
// accumulate, or write over arrays of their own, the last ones go one by one instead.
#include "emit/lanes/map.h"

#include <algorithm>

#include "emit/host/parallel_for.h"
#include "emit/host/rows.h"
#include "emit/lanes/arrays.h"
#include "emit/lanes/lanes.h"
#include "emit/lanes/layout.h"
#include "emit/lanes/own_accumulators.h"
#include "emit/lanes/packing.h"
#include "emit/lanes/remainder.h"
#include "emit/lanes/statements.h"
#include "emit/lanes/values.h"
#include "emit/memory/homes.h"
#include "emit/memory/host_scope.h"
#include "emit/points.h"
#include "emit/statements.h"
#include "emit/thread/loops.h"
#include "emit/versions.h"

namespace dagaz::emit {

void for_blocks(Context& c, const Operand& count, const Operand& cost,
                const std::function<void(Operand)>& body) {
  if (c.mode != Mode::host) {
    thread_loop(c, count, false, body);
    return;
  }
  parallel_for(c, count, cost, [&](const Operand& begin, const Operand& end) {
    thread_loop(c, c.sub(end, begin), false, [&](const Operand& b) { body(c.add(begin, b)); });
  });
}

// The body at a block of points, whose indices are bound, and its results to where they go.
static void emit_points(Lanes& l, const ir::Statement& s, const ir::SegmentedMap& e,
                        const std::vector<Destination>& targets) {
  std::vector<NameId> indices;
  for (const ir::SpaceDimension& dimension : e.space) indices.push_back(dimension.index.name);
  std::vector<std::optional<LaneArray>> parts;
  std::vector<std::optional<LaneArray>> rows;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    parts.push_back(targets[k] ? std::optional(part_at(l, *targets[k], indices)) : std::nullopt);
    const bool is_row = parts.back() && !parts.back()->place.strides.empty() &&
                        !is_collected(l, *parts.back(), k);
    rows.push_back(is_row ? parts.back() : std::nullopt);
  }
  const std::vector<LaneResult> results = emit_body(l, e.body, rows);
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (parts[k] && l.overlap) {
      store_remainder(l, *parts[k], *results[k].scalar, *l.overlap);
    } else if (parts[k]) {
      put(l, *parts[k], results[k], e.result_types[k]);
    } else {
      continue_accumulator(l, s.results[k].name, e.body.results[k].name());
    }
  }
}

// How many blocks of rows a task has: as many as may be, but where there are `others` tasks for the
// same rows, all together as many as threads, if that is worth it.
static Operand chunk_of_rows(Context& c, const ir::SegmentedMap& e, const ir::LaneBlocks& plan,
                             const Operand& row_blocks, const Operand& others) {
  const Operand most = ir::i64_operand(plan.chunk);
  if (c.mode != Mode::host || plan.rows < 0 || plan.least_chunk == plan.chunk) return most;
  const NameId worth = c.variable("pieces", ScalarType::i64);
  c.emit(PieceCount{worth, c.product(extents_of(e.space)), grain_for(c, cost_of(c, e.schedule))});
  const Operand tasks = c.minimum(worth, resident_threads(c));
  const Operand chunks = c.divide_up(tasks, c.maximum(others, ir::i64_operand(1)));
  const Operand wanted = c.divide_up(row_blocks, chunks);
  return c.minimum(c.maximum(wanted, ir::i64_operand(plan.least_chunk)), most);
}

// Blocks of the same points run one after another: they share what is packed.  A chunk of rows
// meets all points before the next: what is read and written for a row lies together.
static void map_moved_blocks(Context& c, const ir::Statement& s, const ir::SegmentedMap& e,
                             const ir::LaneBlocks& plan, const std::vector<Destination>& targets,
                             const std::unordered_map<NameId, LaneArray>& arrays) {
  const Operand span = ir::i64_operand(std::int64_t{plan.columns} * plan.width);
  const Operand rows = ir::i64_operand(plan.block_rows);
  const auto points_at = static_cast<std::size_t>(plan.points);
  const bool has_rows = plan.rows >= 0;
  const auto rows_at = static_cast<std::size_t>(plan.rows);
  const ir::SpaceDimension& along = e.space[points_at];
  // The first point of block `number`, and how many of its points the block before has, too.
  const auto start = [&](const Operand& number, const Operand& extent, const Operand& size) {
    return c.minimum(c.mul(number, size), c.sub(extent, size));
  };
  const auto again = [&](const Operand& number, const Operand& extent, const Operand& size) {
    return c.sub(c.mul(number, size), start(number, extent, size));
  };
  const bool in_place = is_over(c, s.results[0].name);
  const Operand extent = has_rows ? e.space[rows_at].extent : rows;
  const Operand row_blocks = c.divide_up(extent, rows);
  std::vector<Operand> extents;
  std::vector<NameId> others;
  for (std::size_t d = 0; d < e.space.size(); ++d) {
    if (d == points_at || (has_rows && d == rows_at)) continue;
    extents.push_back(e.space[d].extent);
    others.push_back(e.space[d].index.name);
  }
  const Operand of_others = c.product(extents);
  extents.push_back(c.divide_up(along.extent, span));
  const Operand chunk = chunk_of_rows(c, e, plan, row_blocks,
                                      plan.shares_rows ? c.product(extents) : of_others);
  extents.insert(extents.begin(), c.divide_up(row_blocks, chunk));
  const Operand points = c.mul(c.mul(span, rows), c.minimum(chunk, row_blocks));
  const Operand cost = c.mode == Mode::host ? c.mul(cost_of(c, e.schedule), points) : points;
  for_blocks(c, c.product(extents), cost, [&](const Operand& b) {
    const std::vector<Operand> at = c.unflatten(b, extents);
    Lanes lanes(c, plan);
    lanes.known.arrays = arrays;
    for (std::size_t k = 0; k < others.size(); ++k) {
      bind_index(lanes, others[k], at[k + 1], false, false);
    }
    bind_index(lanes, along.index.name, start(at.back(), along.extent, span), false, true);
    if (in_place) lanes.overlap = {ir::i64_operand(0), again(at.back(), along.extent, span)};
    if (!has_rows) {
      prepare(lanes, e.body, std::nullopt);
      emit_points(lanes, s, e, targets);
      return;
    }
    const NameId row = e.space[rows_at].index.name;
    prepare(lanes, e.body, row);
    const Operand first = c.mul(at[0], chunk);
    thread_loop(c, c.minimum(chunk, c.sub(row_blocks, first)), false, [&](const Operand& r) {
      const Operand number = c.add(first, r);
      bind_index(lanes, row, start(number, extent, rows), plan.block_rows > 1, false);
      if (in_place) lanes.overlap->rows = again(number, extent, rows);
      emit_points(lanes, s, e, targets);
    });
  });
}

bool leaves_points(const ir::SegmentedMap& e) {
  return std::any_of(e.schedule.versions.begin(), e.schedule.versions.end(),
                     [](const ir::Version& one) {
                       const auto* blocks = as<ir::LaneBlocks>(one.strategy);
                       return blocks != nullptr && blocks->remainder == ir::Remainder::serialised;
                     });
}

void map_points_from(Context& c, const ir::Statement& s, const ir::SegmentedMap& e,
                     const std::vector<Destination>& targets, const Operand& first) {
  parallel_points(c, {c.sub(e.space[0].extent, first)}, cost_of(c, e.schedule),
                  [&](const std::vector<Operand>& point) {
                    const std::vector<Operand> at = {c.add(point[0], first)};
                    set_indices(c, e.space, at);
                    const PointTargets parts = at_point(c, targets, at);
                    emit_body(c, e.body, parts.rows, [&](const std::vector<Value>& values) {
                      put_point(c, s, 0, parts, values);
                    });
                  });
}

// Only whole blocks in lanes, the last points of the space one by one.
static void map_whole_blocks(Context& c, const ir::Statement& s, const ir::SegmentedMap& e,
                             const ir::LaneBlocks& plan, const std::vector<Destination>& targets) {
  const Operand span = ir::i64_operand(std::int64_t{plan.columns} * plan.width);
  const ir::SpaceDimension& dimension = e.space[0];
  const Operand count = c.divide(dimension.extent, span);
  const Operand cost = cost_of(c, e.schedule);
  for_blocks(c, count, c.mul(cost, span), [&](const Operand& b) {
    Lanes lanes(c, plan);
    bind_index(lanes, dimension.index.name, c.mul(b, span), false, true);
    prepare(lanes, e.body, std::nullopt);
    emit_points(lanes, s, e, targets);
  });
  map_points_from(c, s, e, targets, c.mul(count, span));
}

void map_in_lanes(Context& c, const ir::Statement& s, const ir::SegmentedMap& e,
                  const ir::LaneBlocks& plan, const std::vector<Destination>& targets) {
  if (plan.remainder == ir::Remainder::serialised) {
    map_whole_blocks(c, s, e, plan, targets);
  } else if (c.mode == Mode::host) {
    in_host_scope(c, [&] {
      std::unordered_map<NameId, LaneArray> arrays;
      for (const NameId array : plan.laid_out) arrays.emplace(array, laid_out(c, array));
      map_moved_blocks(c, s, e, plan, targets, arrays);
    });
  } else {
    map_moved_blocks(c, s, e, plan, targets, {});
  }
}

}  // namespace dagaz::emit
