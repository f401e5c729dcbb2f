// Blocks of points in lanes: maps, and the first stage of reductions.  Which blocks these are, and
// what else a schedule says of them, is plan/lane_blocks.h's.
//
// A block that would cross the end of a dimension is moved back, so that a few points are computed
// twice; where results lie in the place of what points read, they are stored once.  Where points
// accumulate, or write over arrays of their own, the last ones go one by one instead.
#include "imperative/lanes.h"

#include <algorithm>

namespace dagaz::imperative {

void Lanes::refuse(std::string_view what) {
  DZ_UNREACHABLE("the schedule runs in lanes what cannot: " + std::string(what));
}

/// body(block) for `count` blocks, in parallel where this is host code.
void Lanes::for_blocks(Lowering& low, const Operand& count, const Operand& cost,
                       const std::function<void(Operand)>& body) {
  if (low.mode != Mode::host) {
    low.thread_loop(count, false, body);
    return;
  }
  low.parallel_for(count, cost, [&](const Operand& begin, const Operand& end) {
    low.thread_loop(low.sub(end, begin), false,
                    [&](const Operand& b) { body(low.add(begin, b)); });
  });
}

// ---------------------------------------------------------------- maps

// The body at a block of points, whose indices are bound, and its results to where they go.
void Lanes::map_point(const ir::Statement& s, const ir::SegmentedMap& e,
                      const std::vector<Destination>& targets) {
  std::vector<NameId> indices;
  for (const ir::SpaceDimension& dimension : e.space) indices.push_back(dimension.index.name);
  std::vector<std::optional<LaneArray>> parts;
  std::vector<std::optional<LaneArray>> rows;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    parts.push_back(targets[k] ? std::optional(part(*targets[k], indices)) : std::nullopt);
    const bool is_row = parts.back() && !parts.back()->place.strides.empty() &&
                        !is_collected(*parts.back(), e.result_types[k]);
    rows.push_back(is_row ? parts.back() : std::nullopt);
  }
  const std::vector<Result> results = body(e.body, rows);
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (parts[k] && shared_) {
      store_remainder(*parts[k], *results[k].scalar, *shared_);
    } else if (parts[k]) {
      put(*parts[k], results[k], e.result_types[k]);
    } else {
      low_.continue_accumulator(s.results[k].name, e.body.results[k].name());
    }
  }
}

// Blocks of the same points run one after another: they share what is packed.  A chunk of rows
// meets all points before the next: what is read and written for a row lies together.
void Lanes::map_moved_blocks(Lowering& low, const ir::Statement& s, const ir::SegmentedMap& e,
                             const ir::LaneBlocks& plan, const std::vector<Destination>& targets) {
  const Operand span = ir::i64_operand(std::int64_t{plan.columns} * plan.width);
  const Operand rows = ir::i64_operand(plan.block_rows);
  const auto points_at = static_cast<std::size_t>(plan.points);
  const bool has_rows = plan.rows >= 0;
  const auto rows_at = static_cast<std::size_t>(plan.rows);
  const ir::SpaceDimension& along = e.space[points_at];
  const bool host = low.mode == Mode::host;
  // The first point of block `number`, and how many of its points the block before has, too.
  const auto start = [&](const Operand& number, const Operand& extent, const Operand& size) {
    return low.minimum(low.mul(number, size), low.sub(extent, size));
  };
  const auto again = [&](const Operand& number, const Operand& extent, const Operand& size) {
    return low.sub(low.mul(number, size), start(number, extent, size));
  };
  const bool in_place = low.is_over(s.results[0].name);
  const Operand extent = has_rows ? e.space[rows_at].extent : rows;
  const Operand row_blocks = low.divide_up(extent, rows);
  const Operand chunk = ir::i64_operand(plan.chunk);
  std::vector<Operand> extents = {low.divide_up(row_blocks, chunk)};
  std::vector<NameId> others;
  for (std::size_t d = 0; d < e.space.size(); ++d) {
    if (d == points_at || (has_rows && d == rows_at)) continue;
    extents.push_back(e.space[d].extent);
    others.push_back(e.space[d].index.name);
  }
  extents.push_back(low.divide_up(along.extent, span));
  const Operand points = low.mul(low.mul(span, rows), low.minimum(chunk, row_blocks));
  const Operand cost = host ? low.mul(low.cost_of(e.schedule), points) : points;
  std::unordered_map<NameId, LaneArray> arrays;
  if (host) low.scopes.enter();
  for (const NameId array : plan.laid_out) arrays.emplace(array, laid_out(low, array));
  for_blocks(low, low.product(extents), cost, [&](const Operand& b) {
    const std::vector<Operand> at = low.unflatten(b, extents);
    Lanes lanes(low, plan);
    lanes.known_.arrays = arrays;
    for (std::size_t k = 0; k < others.size(); ++k) {
      lanes.bind_index(others[k], at[k + 1], false, false);
    }
    lanes.bind_index(along.index.name, start(at.back(), along.extent, span), false, true);
    if (in_place) lanes.shared_ = {lanes.zero(), again(at.back(), along.extent, span)};
    if (!has_rows) {
      lanes.prepare(e.body, std::nullopt);
      lanes.map_point(s, e, targets);
      return;
    }
    const NameId row = e.space[rows_at].index.name;
    lanes.prepare(e.body, row);
    const Operand first = low.mul(at[0], chunk);
    low.thread_loop(low.minimum(chunk, low.sub(row_blocks, first)), false, [&](const Operand& r) {
      const Operand number = low.add(first, r);
      lanes.bind_index(row, start(number, extent, rows), true, false);
      if (in_place) lanes.shared_->rows = again(number, extent, rows);
      lanes.map_point(s, e, targets);
    });
  });
  if (host) low.leave_host_scope();
}

// Only whole blocks in lanes, the last points of the space one by one.
void Lanes::map_whole_blocks(Lowering& low, const ir::Statement& s, const ir::SegmentedMap& e,
                             const ir::LaneBlocks& plan, const std::vector<Destination>& targets) {
  const Operand span = ir::i64_operand(std::int64_t{plan.columns} * plan.width);
  const ir::SpaceDimension& dimension = e.space[0];
  const Operand count = low.divide(dimension.extent, span);
  const Operand cost = low.cost_of(e.schedule);
  for_blocks(low, count, low.mul(cost, span), [&](const Operand& b) {
    Lanes lanes(low, plan);
    lanes.bind_index(dimension.index.name, low.mul(b, span), false, true);
    lanes.prepare(e.body, std::nullopt);
    lanes.map_point(s, e, targets);
  });
  const Operand done = low.mul(count, span);
  low.parallel_points({low.sub(dimension.extent, done)}, cost,
                      [&](const std::vector<Operand>& point) {
    const std::vector<Operand> at = {low.add(point[0], done)};
    low.set_indices(e.space, at);
    const PointTargets parts = low.at_point(targets, at);
    low.lower_body(e.body, parts.rows, [&](const std::vector<Value>& values) {
      low.put_point(s, 0, parts, values);
    });
  });
}

void Lanes::map(Lowering& low, const ir::Statement& s, const ir::SegmentedMap& e,
                const ir::LaneBlocks& plan, const std::vector<Destination>& targets) {
  if (plan.remainder == ir::Remainder::serialised) {
    map_whole_blocks(low, s, e, plan, targets);
  } else {
    map_moved_blocks(low, s, e, plan, targets);
  }
}

// ---------------------------------------------------------------- reductions

// `count` blocks of points from `start` on, combined into `totals`.
void Lanes::reduce_blocks(Lowering& low, const ir::SegmentedReduce& e, const ir::LaneBlocks& plan,
                          const std::vector<Destination>& mapped, const std::vector<Operand>& outer,
                          const Operand& start, const Operand& count,
                          const std::vector<Running>& totals) {
  std::size_t reduced = 0;
  for (const ir::ReduceOperator& one : e.operators) reduced += one.neutral.size();
  Lanes lanes(low, plan);
  const Operand span = ir::i64_operand(lanes.block_.span());
  std::vector<std::vector<LaneScalar>> running;
  for (const ir::ReduceOperator& one : e.operators) running.push_back(lanes.start(one.neutral));
  std::vector<NameId> indices;
  for (const ir::SpaceDimension& dimension : e.space) indices.push_back(dimension.index.name);
  for (std::size_t d = 0; d < outer.size(); ++d) {
    lanes.bind_index(indices[d], outer[d], false, false);
  }
  low.thread_loop(count, false, [&](const Operand& b) {
    lanes.bind_index(indices.back(), low.add(start, low.mul(b, span)), false, true);
    std::vector<std::optional<LaneArray>> parts(reduced);
    for (const Destination& target : mapped) parts.push_back(lanes.part(*target, indices));
    std::vector<std::optional<LaneArray>> rows = parts;
    for (auto& row : rows) {
      if (row && row->place.strides.empty()) row.reset();
    }
    lanes.prepare(e.body, std::nullopt);
    const std::vector<Result> results = lanes.body(e.body, rows);
    std::size_t position = 0;
    for (std::size_t k = 0; k < e.operators.size(); ++k) {
      std::vector<LaneScalar> values;
      for (std::size_t v = 0; v < running[k].size(); ++v) {
        values.push_back(*results[position++].scalar);
      }
      lanes.combine(e.operators[k].op, running[k], values);
    }
    for (std::size_t k = reduced; k < results.size(); ++k) {
      lanes.put(*parts[k], results[k], e.result_types[k]);
    }
  });
  for (std::size_t k = 0; k < totals.size(); ++k) lanes.finish(running[k], totals[k]);
}

void Lanes::reduce_pieces(Lowering& low, const ir::Statement& s, const ir::SegmentedReduce& e,
                          const ir::LaneBlocks& plan, const Pieces& pieces, const Operand& cost,
                          const std::vector<Destination>& mapped,
                          const std::vector<Place>& partial) {
  const Operand span = ir::i64_operand(std::int64_t{plan.columns} * plan.width);
  low.for_each_piece(pieces, cost, [&](const std::vector<Operand>& outer, const Operand& piece,
                                       const Operand& start, const Operand& length) {
    const std::vector<Running> totals = low.start_reductions(e.operators);
    const Operand blocks = low.divide(length, span);
    reduce_blocks(low, e, plan, mapped, outer, start, blocks, totals);
    const Operand done = low.mul(blocks, span);
    low.thread_loop(low.sub(length, done), false, [&](const Operand& i) {
      low.reduce_point(s, e, totals, mapped, with(outer, low.add(start, low.add(done, i))));
    });
    low.write_all(partial, with(outer, piece), running_values(totals));
  });
}

}  // namespace dagaz::imperative
