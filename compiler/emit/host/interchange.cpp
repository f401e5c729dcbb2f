// Reductions in tiles of accumulators, the loop over what is reduced outside (plan/interchange.h).
// Several elements of each segment are taken per pass over the tile, so that an accumulator is
// loaded and stored once for all of them.
#include "emit/host/interchange.h"

#include <functional>

#include "emit/host/rows.h"
#include "emit/memory/allocation.h"
#include "emit/memory/elements.h"
#include "emit/pieces.h"
#include "emit/points.h"
#include "emit/statements.h"
#include "emit/thread/loops.h"
#include "emit/thread/parallel_operations.h"
#include "emit/thread/running.h"
#include "emit/versions.h"
#include "plan/operators.h"

namespace dagaz::emit {

/// Combines `steps` values of accumulator `j`, from the one with number `first` on.
using TileValues = std::function<void(Operand j, Operand first, std::int64_t steps,
                                      const std::vector<Running>& running)>;
using TileFunction =
    std::function<void(Operand base, Operand count, const std::vector<Place>& tile)>;

// Reduces `width` values for each of the `count` accumulators of a tile.
static void reduce_tile(Context& c, const std::vector<ir::ReduceOperator>& operators,
                        const ir::Interchanged& tiles, const Operand& count, const Operand& width,
                        const std::vector<Place>& tile, const TileValues& values) {
  std::vector<Operand> neutral;
  std::vector<ir::Type> types;
  for (const ir::ReduceOperator& one : operators) {
    neutral.insert(neutral.end(), one.neutral.begin(), one.neutral.end());
    types.insert(types.end(), one.op.result_types.begin(), one.op.result_types.end());
  }
  thread_loop(c, count, true, [&](const Operand& j) {
    for (std::size_t v = 0; v < tile.size(); ++v)
      store(c, tile[v], {j}, neutral[v], types[v].element);
  });
  const auto pass = [&](const Operand& first, std::int64_t steps) {
    thread_loop(c, count, true, [&](const Operand& j) {
      const std::vector<Running> running = start_reductions(c, operators);
      load_running(c, running, tile, {j});
      values(j, first, steps, running);
      write_all(c, tile, {j}, running_values(running));
    });
  };
  const Operand step = ir::i64_operand(tiles.steps);
  const Operand passes = c.divide(width, step);
  thread_loop(c, passes, false, [&](const Operand& k) { pass(c.mul(k, step), tiles.steps); });
  const Operand done = c.mul(passes, step);
  thread_loop(c, c.sub(width, done), false, [&](const Operand& k) { pass(c.add(done, k), 1); });
}

static void for_each_tile(Context& c, const ir::Interchanged& tiles, const Operand& low,
                          const Operand& high, const std::vector<ir::Type>& types,
                          const TileFunction& body) {
  const Operand width = ir::i64_operand(tiles.tile);
  thread_loop(c, c.divide_up(c.sub(high, low), width), false, [&](const Operand& t) {
    const Operand base = c.add(low, c.mul(t, width));
    std::vector<Place> tile;
    for (const ir::Type& type : types) {
      tile.push_back(private_array(c, ir::array_of(type.element, {width}), "tile"));
    }
    body(base, c.minimum(width, c.sub(high, base)), tile);
  });
}

static std::vector<ir::Type> types_of_operators(const std::vector<ir::ReduceOperator>& operators) {
  std::vector<ir::Type> types;
  for (const ir::ReduceOperator& one : operators) {
    types.insert(types.end(), one.op.result_types.begin(), one.op.result_types.end());
  }
  return types;
}

void emit_interchanged(Context& c, const ir::Statement& s, const ir::SegmentedMap& e,
                       const ir::Interchanged& tiles, const std::vector<Destination>& targets) {
  const auto position =
      static_cast<std::size_t>(plan::sole_reduction(e.body) - e.body.statements.data());
  const auto& map = *as<ir::MapScanReduce>(e.body.statements[position].operation);
  // The point without its reduction: its results are free names of a copy of the rest.
  const auto emit_before = [&](const std::vector<Operand>& outer, const Operand& j,
                               std::size_t count) {
    const ir::Statement copied = copy_of(c, e);
    const auto& fresh = *as<ir::SegmentedMap>(copied.operation);
    set_indices(c, fresh.space, with(outer, j));
    for (std::size_t k = 0; k < count; ++k) emit_statement(c, fresh.body.statements[k]);
    return fresh;
  };
  const std::vector<ir::Type> types = types_of_operators(map.reductions);
  parallel_rows(
      c, extents_of(e.space), cost_of(c, e.schedule),
      [&](const std::vector<Operand>& outer, const Operand& low, const Operand& high) {
        for_each_tile(
            c, tiles, low, high, types,
            [&](const Operand& base, const Operand& count, const std::vector<Place>& tile) {
              const auto values = [&](const Operand& j, const Operand& first, std::int64_t steps,
                                      const std::vector<Running>& running) {
                const ir::SegmentedMap fresh = emit_before(outer, c.add(base, j), position);
                const auto& inner =
                    *as<ir::MapScanReduce>(fresh.body.statements[position].operation);
                for (std::int64_t k = 0; k < steps; ++k) {
                  const Operand at = c.add(first, ir::i64_operand(k));
                  emit_lambda(c, copy_of(c, inner.map), elements_at(c, inner.arrays, at), {},
                              [&](const std::vector<Value>& results) {
                                combine_all(c, running, results, 0);
                              });
                }
              };
              reduce_tile(c, map.reductions, tiles, count, map.width, tile, values);
              thread_loop(c, count, true, [&](const Operand& j) {
                const std::vector<Operand> point = with(outer, c.add(base, j));
                const ir::SegmentedMap fresh = emit_before(outer, point.back(), position);
                const ir::Statement& reduction = fresh.body.statements[position];
                for (std::size_t v = 0; v < tile.size(); ++v) {
                  load_into(c, reduction.results[v].name, tile[v], {j}, types[v].element);
                }
                const ir::Body rest{
                    {fresh.body.statements.begin() + static_cast<std::ptrdiff_t>(position) + 1,
                     fresh.body.statements.end()},
                    fresh.body.results};
                const PointTargets at = at_point(c, targets, point);
                emit_body(c, rest, at.rows, [&](const std::vector<Value>& results) {
                  put_point(c, s, 0, at, results);
                });
              });
            });
      });
}

void reduce_pieces_interchanged(Context& c, const ir::SegmentedReduce& e,
                                const ir::Interchanged& tiles, const Pieces& pieces,
                                const Operand& cost, const std::vector<Place>& partial) {
  std::vector<Operand> extents(pieces.outer.begin(), pieces.outer.end() - 1);
  extents.push_back(pieces.count);
  extents.push_back(pieces.outer.back());
  parallel_rows(
      c, extents, c.mul(cost, pieces.chunk),
      [&](const std::vector<Operand>& outer, const Operand& low, const Operand& high) {
        const Operand piece = outer.back();
        const std::vector<Operand> before(outer.begin(), outer.end() - 1);
        const Operand start = c.mul(piece, pieces.chunk);
        const Operand left = c.maximum(c.sub(pieces.width, start), ir::i64_operand(0));
        const std::vector<ir::Type> types = types_of_operators(e.operators);
        for_each_tile(
            c, tiles, low, high, types,
            [&](const Operand& base, const Operand& count, const std::vector<Place>& tile) {
              const auto values = [&](const Operand& j, const Operand& first, std::int64_t steps,
                                      const std::vector<Running>& running) {
                for (std::int64_t k = 0; k < steps; ++k) {
                  const ir::Statement copied = copy_of(c, e);
                  const auto& fresh = *as<ir::SegmentedReduce>(copied.operation);
                  const Operand at = c.add(c.add(start, first), ir::i64_operand(k));
                  set_indices(c, fresh.space, with(with(before, c.add(base, j)), at));
                  emit_body(c, fresh.body, {}, [&](const std::vector<Value>& results) {
                    combine_all(c, running, results, 0);
                  });
                }
              };
              reduce_tile(c, e.operators, tiles, count, c.minimum(pieces.chunk, left), tile,
                          values);
              thread_loop(c, count, true, [&](const Operand& j) {
                const std::vector<Operand> point = with(with(before, c.add(base, j)), piece);
                write_all(c, partial, point, values_at(c, tile, types, {j}));
              });
            });
      });
}

}  // namespace dagaz::emit
