// Reductions whose inputs lie so that the dimension outside the reduction, not the one along it,
// has unit stride (columns of a matrix, matrix products): on the CPU the loops change places.
//
//   for j: acc = ne; for k: acc = op acc (f j k)
// becomes, for tiles of j with an array of accumulators that stays in the first-level cache,
//   for k: for j: acc[j] = op acc[j] (f j k)
// whose inner loop vectorises with unit steps.  Several k are done per pass over the tile, so that
// an accumulator is loaded and stored once for all of them.
#include "imperative/lowering.h"

#include <algorithm>

namespace dagaz::imperative {

static constexpr std::int64_t tile_width = 256;
static constexpr std::int64_t steps_per_pass = 4;

// ---------------------------------------------------------------- is it worth it?

namespace {

/// How the elements that a point reads move with j and with k.
class AccessPattern {
 public:
  AccessPattern(const std::unordered_map<NameId, Place>& places, NameId inner)
      : places_(places), inner_(inner) {}

  void add_reduction_index(NameId name) { along_.insert(name); }

  /// Follows the views and element reads of `statements`.
  void read(const std::vector<ir::Statement>& statements) {
    for (const ir::Statement& one : statements) {
      if (const auto* index = as<ir::Index>(one.operation)) {
        read_element(one.results[0].name, index->array, index->indices);
      }
    }
  }
  void read_element(NameId result, NameId array, const std::vector<Operand>& indices) {
    View view{array, {}};
    if (const auto found = views_.find(array); found != views_.end()) view = found->second;
    view.indices.insert(view.indices.end(), indices.begin(), indices.end());
    const auto place = places_.find(view.array);
    if (place == places_.end()) return;
    if (view.indices.size() == place->second.strides.size()) judge(view, place->second);
    views_.insert_or_assign(result, std::move(view));
  }
  bool prefers_interchange() const { return good_ && !bad_; }

 private:
  struct View {
    NameId array;
    std::vector<Operand> indices;
  };

  void judge(const View& view, const Place& place) {
    bool has_inner = false;
    bool unit_inner = false;
    bool has_along = false;
    bool unit_along = false;
    for (std::size_t d = 0; d < view.indices.size(); ++d) {
      if (!view.indices[d].is_name()) continue;
      const NameId name = view.indices[d].name();
      const bool unit = is_constant(place.strides[d], 1);
      if (name == inner_) {
        has_inner = true;
        unit_inner = unit;
      } else if (along_.contains(name)) {
        has_along = true;
        unit_along = unit;
      }
    }
    good_ = good_ || (has_inner && unit_inner && has_along && !unit_along);
    bad_ = bad_ || (has_inner && !unit_inner);
  }

  const std::unordered_map<NameId, Place>& places_;
  NameId inner_;
  std::unordered_set<NameId> along_;
  std::unordered_map<NameId, View> views_;
  bool good_ = false;
  bool bad_ = false;
};

bool is_straight(const std::vector<ir::Statement>& statements) {
  return std::all_of(statements.begin(), statements.end(), [](const ir::Statement& one) {
    return as<ir::Scalar>(one.operation) || as<ir::Index>(one.operation) ||
           as<ir::Slice>(one.operation) || as<ir::Identity>(one.operation) ||
           as<ir::Permute>(one.operation);
  });
}

bool are_scalar_operators(const std::vector<ir::ReduceOperator>& operators) {
  return std::all_of(operators.begin(), operators.end(), [](const ir::ReduceOperator& one) {
    return are_scalars(one.op.result_types) && is_straight(one.op.body.statements);
  });
}

}  // namespace

// The statement of a point that reduces, if it is the only one of its kind.
static const ir::Statement* sole_reduction(const ir::Body& body) {
  const ir::Statement* found = nullptr;
  for (const ir::Statement& one : body.statements) {
    const auto* map = as<ir::MapScanReduce>(one.operation);
    if (!map) continue;
    if (found || !map->scans.empty() || map->reductions.empty() || map->post) return nullptr;
    std::size_t reduced = 0;
    for (const ir::ReduceOperator& op : map->reductions) reduced += op.neutral.size();
    if (reduced != one.results.size()) return nullptr;
    found = &one;
  }
  return found;
}

bool Lowering::is_interchangeable(const ir::SegmentedMap& e) const {
  const ir::Statement* reduction = sole_reduction(e.body);
  if (is_gpu() || !reduction || e.space.empty()) return false;
  const auto& map = *as<ir::MapScanReduce>(reduction->operation);
  const std::vector<ir::Statement> before(e.body.statements.data(), reduction);
  const std::vector<ir::Statement> after(
      reduction + 1, e.body.statements.data() + e.body.statements.size());
  for (const ir::Statement& one : before) {
    for (const ir::Binder& result : one.results) {
      if (map.width == Operand(result.name)) return false;
    }
  }
  if (!is_straight(before) || !is_straight(after) || !is_straight(map.map.body.statements) ||
      !are_scalar_operators(map.reductions)) {
    return false;
  }
  AccessPattern pattern(places_, e.space.back().index.name);
  pattern.read(before);
  const NameId along;  // an index that no name has
  pattern.add_reduction_index(along);
  for (std::size_t k = 0; k < map.arrays.size(); ++k) {
    if (virtual_iotas_.contains(map.arrays[k])) {
      pattern.add_reduction_index(map.map.parameters[k].name);
    } else if (names().type(map.map.parameters[k].name).is_scalar()) {
      pattern.read_element(map.map.parameters[k].name, map.arrays[k], {along});
    } else {
      return false;
    }
  }
  pattern.read(map.map.body.statements);
  return pattern.prefers_interchange();
}

bool Lowering::is_interchangeable(const ir::SegmentedReduce& e) const {
  return !is_gpu() && is_straight(e.body.statements) && are_scalar_operators(e.operators) &&
         has_interleaved_segments(e);
}

bool Lowering::has_interleaved_segments(const ir::SegmentedReduce& e) const {
  if (e.space.size() < 2) return false;
  AccessPattern pattern(places_, e.space[e.space.size() - 2].index.name);
  pattern.add_reduction_index(e.space.back().index.name);
  pattern.read(e.body.statements);
  return pattern.prefers_interchange();
}

// ---------------------------------------------------------------- the loops

// Reduces `width` values for each of the `count` accumulators of a tile.
void Lowering::reduce_tile(const std::vector<ir::ReduceOperator>& operators,
                           const Operand& count, const Operand& width,
                           const std::vector<Place>& tile, const TileValues& values) {
  std::vector<Operand> neutral;
  std::vector<ir::Type> types;
  for (const ir::ReduceOperator& one : operators) {
    neutral.insert(neutral.end(), one.neutral.begin(), one.neutral.end());
    types.insert(types.end(), one.op.result_types.begin(), one.op.result_types.end());
  }
  thread_loop(count, true, [&](const Operand& j) {
    for (std::size_t v = 0; v < tile.size(); ++v) store(tile[v], {j}, neutral[v], types[v].element);
  });
  const auto pass = [&](const Operand& first, std::int64_t steps) {
    thread_loop(count, true, [&](const Operand& j) {
      const std::vector<Running> running = start_reductions(operators);
      load_running(running, tile, {j});
      values(j, first, steps, running);
      write_all(tile, {j}, running_values(running));
    });
  };
  const Operand step = ir::i64_operand(steps_per_pass);
  const Operand passes = divide(width, step);
  thread_loop(passes, false, [&](const Operand& k) { pass(mul(k, step), steps_per_pass); });
  const Operand done = mul(passes, step);
  thread_loop(sub(width, done), false, [&](const Operand& k) { pass(add(done, k), 1); });
}

void Lowering::for_each_tile(const Operand& low, const Operand& high,
                             const std::vector<ir::Type>& types, const TileFunction& body) {
  const Operand width = ir::i64_operand(tile_width);
  thread_loop(divide_up(sub(high, low), width), false, [&](const Operand& t) {
    const Operand base = add(low, mul(t, width));
    std::vector<Place> tile;
    for (const ir::Type& type : types) {
      tile.push_back(private_array(ir::array_of(type.element, {width}), "tile"));
    }
    body(base, minimum(width, sub(high, base)), tile);
  });
}

static std::vector<ir::Type> types_of_operators(const std::vector<ir::ReduceOperator>& operators) {
  std::vector<ir::Type> types;
  for (const ir::ReduceOperator& one : operators) {
    types.insert(types.end(), one.op.result_types.begin(), one.op.result_types.end());
  }
  return types;
}

void Lowering::lower_interchanged(const ir::Statement& s, const ir::SegmentedMap& e,
                                  const std::vector<Wish>& targets) {
  const auto position = static_cast<std::size_t>(sole_reduction(e.body) - e.body.statements.data());
  const auto& map = *as<ir::MapScanReduce>(e.body.statements[position].operation);
  // The point without its reduction: its results are free names of a copy of the rest.
  const auto emit_before = [&](const std::vector<Operand>& outer, const Operand& j,
                               std::size_t count) {
    const ir::Statement copied = ir::renamed(ir::Statement{{}, e}, names());
    const auto& fresh = *as<ir::SegmentedMap>(copied.operation);
    set_indices(fresh.space, with(outer, j));
    for (std::size_t k = 0; k < count; ++k) lower_statement(fresh.body.statements[k]);
    return fresh;
  };
  const std::vector<ir::Type> types = types_of_operators(map.reductions);
  parallel_rows(extents_of(e.space), cost_of(e.body), [&](const std::vector<Operand>& outer,
                                                         const Operand& low,
                                                         const Operand& high) {
    for_each_tile(low, high, types, [&](const Operand& base, const Operand& count,
                                        const std::vector<Place>& tile) {
      const auto values = [&](const Operand& j, const Operand& first, std::int64_t steps,
                              const std::vector<Running>& running) {
        const ir::SegmentedMap fresh = emit_before(outer, add(base, j), position);
        const auto& inner = *as<ir::MapScanReduce>(fresh.body.statements[position].operation);
        for (std::int64_t k = 0; k < steps; ++k) {
          const Operand at = add(first, ir::i64_operand(k));
          lower_lambda(ir::renamed(inner.map, names()), elements_at(inner.arrays, at), {},
                       [&](const std::vector<Value>& results) {
            combine_all(running, results, 0);
          });
        }
      };
      reduce_tile(map.reductions, count, map.width, tile, values);
      thread_loop(count, true, [&](const Operand& j) {
        const std::vector<Operand> point = with(outer, add(base, j));
        const ir::SegmentedMap fresh = emit_before(outer, point.back(), position);
        const ir::Statement& reduction = fresh.body.statements[position];
        for (std::size_t v = 0; v < tile.size(); ++v) {
          load_into(reduction.results[v].name, tile[v], {j}, types[v].element);
        }
        const ir::Body rest{{fresh.body.statements.begin() +
                                 static_cast<std::ptrdiff_t>(position) + 1,
                             fresh.body.statements.end()},
                            fresh.body.results};
        const PointTargets at = at_point(targets, point);
        lower_body(rest, at.rows, [&](const std::vector<Value>& results) {
          put_point(s, 0, at, results);
        });
      });
    });
  });
}

// Partial results of the pieces of each segment, for the second stage of the reduction.
void Lowering::reduce_pieces_interchanged(const ir::SegmentedReduce& e, const Pieces& pieces,
                                          const Operand& cost,
                                          const std::vector<Place>& partial) {
  std::vector<Operand> extents(pieces.outer.begin(), pieces.outer.end() - 1);
  extents.push_back(pieces.count);
  extents.push_back(pieces.outer.back());
  parallel_rows(extents, mul(cost, pieces.chunk), [&](const std::vector<Operand>& outer,
                                                      const Operand& low, const Operand& high) {
    const Operand piece = outer.back();
    const std::vector<Operand> before(outer.begin(), outer.end() - 1);
    const Operand start = mul(piece, pieces.chunk);
    const Operand left = maximum(sub(pieces.width, start), ir::i64_operand(0));
    const std::vector<ir::Type> types = types_of_operators(e.operators);
    for_each_tile(low, high, types, [&](const Operand& base, const Operand& count,
                                        const std::vector<Place>& tile) {
      const auto values = [&](const Operand& j, const Operand& first, std::int64_t steps,
                              const std::vector<Running>& running) {
        for (std::int64_t k = 0; k < steps; ++k) {
          const ir::Statement copied = ir::renamed(ir::Statement{{}, e}, names());
          const auto& fresh = *as<ir::SegmentedReduce>(copied.operation);
          const Operand at = add(add(start, first), ir::i64_operand(k));
          set_indices(fresh.space, with(with(before, add(base, j)), at));
          lower_body(fresh.body, {}, [&](const std::vector<Value>& results) {
            combine_all(running, results, 0);
          });
        }
      };
      reduce_tile(e.operators, count, minimum(pieces.chunk, left), tile, values);
      thread_loop(count, true, [&](const Operand& j) {
        const std::vector<Operand> point = with(with(before, add(base, j)), piece);
        write_all(partial, point, values_at(tile, types, {j}));
      });
    });
  });
}

}  // namespace dagaz::imperative
