// Reductions along the innermost dimension of a space.
//
// Each segment is cut into pieces (one, where there are enough segments); a first parallel
// loop reduces the pieces, a second combines the partial results of each segment in order.  That
// is how a CPU does it, and how a GPU reduces arrays: there the partial results are many, and
// threads combine groups of them first, in place.
#include "imperative/gpu.h"
#include "imperative/lanes.h"

#include <algorithm>

namespace dagaz::imperative {

// Of each segment, as the schedule has it.
std::int64_t Lowering::most_pieces(const ir::Schedule& schedule) {
  for (const ir::Version& version : schedule.versions) {
    if (const auto* pieces = as<ir::InPieces>(version.strategy)) return pieces->most;
  }
  return ir::InPieces{}.most;
}

// How many pieces each of `segments` is worth.
Operand Lowering::piece_count(const Operand& segments, const Operand& width, const Operand& cost,
                              std::int64_t most) {
  const Operand one = ir::i64_operand(1);
  const Operand some_segments = maximum(segments, one);
  if (!is_gpu()) {
    const NameId total = variable("pieces", ScalarType::i64);
    emit(PieceCount{total, mul(segments, width), grain_for(cost)});
    return divide_up(total, some_segments);
  }
  const Operand wanted = divide(resident_threads(), some_segments);
  const Operand useful = divide(width, ir::i64_operand(settings_.piece_elements));
  return maximum(one, minimum(ir::i64_operand(most), minimum(wanted, useful)));
}

// Threads of a GPU combine some partial results each, several times over, until a few are left.
// `combine` does so for `count` results, `stride` apart, and leaves the result in the place of the
// first.
Groups Lowering::combine_groups(const std::vector<Operand>& outer, const Operand& count,
                                const GroupFunction& combine) {
  if (mode_ != Mode::host || settings_.combining_rounds == 0) return {count, ir::i64_operand(1)};
  const Operand size = ir::i64_operand(settings_.combined_at_once);
  const NameId left = mutable_variable("left", ScalarType::i64, count);
  const NameId stride = mutable_variable("stride", ScalarType::i64, ir::i64_operand(1));
  for (int step = 0; step < settings_.combining_rounds; ++step) {
    host_branch(less(size, left), [&] {
      const Operand groups = divide_up(left, size);
      for_each_point(with(outer, groups), cost_of_combining(size), "combine_groups",
                     [&](const std::vector<Operand>& point) {
        const Operand first = mul(point.back(), size);
        combine({point.begin(), point.end() - 1}, mul(first, stride),
                {minimum(size, sub(left, first)), stride});
      });
      move(left, groups);
      move(stride, mul(stride, size));
    }, {});
  }
  return {left, stride};
}

// Of so many partial results.
Operand Lowering::cost_of_combining(const Operand& count) {
  return mul(count, ir::i64_operand(settings_.combined_operations));
}

Pieces Lowering::cut_segments(const std::vector<ir::SpaceDimension>& space,
                              const Operand& cost, std::int64_t most) {
  Pieces pieces;
  pieces.outer = extents_of(space);
  pieces.width = pieces.outer.back();
  pieces.outer.pop_back();
  const Operand segments = product(pieces.outer);
  pieces.count = piece_count(segments, pieces.width, cost, most);
  pieces.chunk = divide_up(pieces.width, pieces.count);
  return pieces;
}

void Lowering::for_each_piece(
    const Pieces& pieces, const Operand& cost,
    const std::function<void(const std::vector<Operand>&, Operand, Operand, Operand)>& body) {
  std::vector<Operand> extents = pieces.outer;
  extents.push_back(pieces.count);
  for_each_point(extents, mul(cost, pieces.chunk), "piece", [&](const std::vector<Operand>& point) {
    const Operand start = mul(point.back(), pieces.chunk);
    const Operand left = maximum(sub(pieces.width, start), ir::i64_operand(0));
    const std::vector<Operand> outer(point.begin(), point.end() - 1);
    body(outer, point.back(), start, minimum(pieces.chunk, left));
  });
}

std::vector<Place> Lowering::partial_arrays(const std::vector<ir::Type>& types,
                                            const Pieces& pieces) {
  std::vector<Place> arrays;
  for (const ir::Type& type : types) {
    ir::Type all = type;
    all.shape.insert(all.shape.begin(), pieces.count);
    all.shape.insert(all.shape.begin(), pieces.outer.begin(), pieces.outer.end());
    arrays.push_back(new_array(all, "partial"));
  }
  return arrays;
}

std::vector<Value> Lowering::values_at(const std::vector<Place>& arrays,
                                       const std::vector<ir::Type>& types,
                                       const std::vector<Operand>& point) {
  std::vector<Value> values;
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    if (types[k].is_scalar()) {
      values.push_back({load(arrays[k], point, types[k].element, "x"), types[k], std::nullopt});
    } else {
      values.push_back({Operand(), types[k], part_at(*this, arrays[k], point)});
    }
  }
  return values;
}

void Lowering::write_all(const std::vector<Place>& arrays, const std::vector<Operand>& point,
                         const std::vector<Value>& values) {
  for (std::size_t k = 0; k < arrays.size(); ++k) write(arrays[k], point, values[k]);
}

std::vector<Operand> with(std::vector<Operand> point, const Operand& last) {
  point.push_back(last);
  return point;
}

void Lowering::lower(const ir::Statement& s, const ir::SegmentedReduce& e) {
  std::vector<ir::Type> types;
  for (const ir::ReduceOperator& one : e.operators) {
    types.insert(types.end(), one.op.result_types.begin(), one.op.result_types.end());
  }
  const std::vector<Destination> mapped = result_targets(s, types.size());
  const std::vector<Place> totals = total_arrays(s, types.size());
  if (is_gpu() && mode_ == Mode::host) {
    run_versions(e.schedule, [&](const ir::Strategy& strategy) {
      const ir::Statement copied = copy_of(e);
      const auto& own = *as<ir::SegmentedReduce>(copied.operation);
      if (const auto* teams = as<ir::Teams>(strategy)) {
        Gpu(*this).reduce_by_teams(s, own, *teams, types, totals, mapped);
      } else if (as<ir::BySegments>(strategy)) {
        Gpu(*this).reduce_by_segments(s, own, totals, mapped);
      } else {
        reduce_by_pieces(s, own, types, totals, mapped);
      }
    });
  } else {
    reduce_by_pieces(s, e, types, totals, mapped);
  }
  load_totals(s, totals);
}

void Lowering::reduce_point(const ir::Statement& s, const ir::SegmentedReduce& e,
                            const std::vector<Running>& running,
                            const std::vector<Destination>& mapped,
                            const std::vector<Operand>& point) {
  const std::size_t reduced = running_values(running).size();
  set_indices(e.space, point);
  std::vector<Destination> destinations(reduced);
  const PointTargets at = at_point(mapped, point);
  destinations.insert(destinations.end(), at.rows.begin(), at.rows.end());
  lower_body(e.body, destinations, [&](const std::vector<Value>& values) {
    put_point(s, reduced, at,
              {values.begin() + static_cast<std::ptrdiff_t>(reduced), values.end()});
    combine_all(running, values, 0);
  });
}

void Lowering::reduce_by_pieces(const ir::Statement& s, const ir::SegmentedReduce& e,
                                const std::vector<ir::Type>& types,
                                const std::vector<Place>& totals,
                                const std::vector<Destination>& mapped) {
  const Operand cost = cost_of(e.schedule);
  const Pieces pieces = cut_segments(e.space, cost, most_pieces(e.schedule));
  const std::vector<Place> partial = partial_arrays(types, pieces);
  run_versions(e.schedule, [&](const ir::Strategy& strategy) {
    if (const auto* blocks = as<ir::LaneBlocks>(strategy)) {
      Lanes::reduce_pieces(*this, s, e, *blocks, pieces, cost, mapped, partial);
    } else if (const auto* tiles = as<ir::Interchanged>(strategy)) {
      reduce_pieces_interchanged(e, *tiles, pieces, cost, partial);
    } else {
      reduce_pieces(s, e, pieces, cost, mapped, partial);
    }
  });
  const auto combined = [&](const std::vector<Operand>& outer, const Operand& first,
                            const Groups& group) {
    const std::vector<Running> running = start_reductions(e.operators);
    thread_loop(group.count, !has_arrays(running), [&](const Operand& k) {
      const Operand piece = add(first, mul(k, group.stride));
      combine_all(running, values_at(partial, types, with(outer, piece)), 0);
    });
    return running;
  };
  const Groups groups = combine_groups(
      pieces.outer, pieces.count,
      [&](const std::vector<Operand>& outer, const Operand& first, const Groups& group) {
        write_all(partial, with(outer, first), running_values(combined(outer, first, group)));
      });
  for_each_point(pieces.outer, cost_of_combining(groups.count), "combine",
                 [&](const std::vector<Operand>& outer) {
    write_all(totals, outer, running_values(combined(outer, ir::i64_operand(0), groups)));
  });
}

void Lowering::reduce_pieces(const ir::Statement& s, const ir::SegmentedReduce& e,
                             const Pieces& pieces, const Operand& cost,
                             const std::vector<Destination>& mapped,
                             const std::vector<Place>& partial) {
  for_each_piece(pieces, cost, [&](const std::vector<Operand>& outer, const Operand& piece,
                                   const Operand& start, const Operand& length) {
    const std::vector<Running> running = start_reductions(e.operators);
    thread_loop(length, !has_arrays(running), [&](const Operand& i) {
      reduce_point(s, e, running, mapped, with(outer, add(start, i)));
    });
    write_all(partial, with(outer, piece), running_values(running));
  });
}

// Where reduced values go; scalars of a single segment get an element of memory of their own.
std::vector<Place> Lowering::total_arrays(const ir::Statement& s, std::size_t count) {
  std::vector<Place> totals;
  for (std::size_t k = 0; k < count; ++k) {
    const NameId name = s.results[k].name;
    const ir::Type type = names().type(name);
    totals.push_back(type.is_scalar() ? new_array(type, "total") : result_array(name));
  }
  return totals;
}

void Lowering::load_totals(const ir::Statement& s, const std::vector<Place>& totals) {
  for (std::size_t k = 0; k < totals.size(); ++k) {
    const NameId name = s.results[k].name;
    if (names().type(name).is_scalar()) {
      load_into(name, totals[k], {}, names().type(name).element);
    }
  }
}

}  // namespace dagaz::imperative
