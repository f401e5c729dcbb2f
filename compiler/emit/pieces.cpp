// Segments cut into pieces, and their partial results: as a CPU reduces and scans, and a GPU
// arrays.
#include "emit/pieces.h"

#include "emit/host/rows.h"
#include "emit/memory/allocation.h"
#include "emit/memory/elements.h"
#include "emit/memory/host_scope.h"
#include "emit/points.h"
#include "emit/thread/running.h"
#include "emit/versions.h"

namespace dagaz::emit {

ir::InPieces pieces_of(const ir::Schedule& schedule) {
  for (const ir::Version& version : schedule.versions) {
    if (const auto* pieces = as<ir::InPieces>(version.strategy)) return *pieces;
  }
  return {};
}

Operand piece_count(Context& c, const Operand& segments, const Operand& width, const Operand& cost,
                    const ir::InPieces& plan) {
  const Operand one = ir::i64_operand(1);
  const Operand some_segments = c.maximum(segments, one);
  if (!c.has_kernels()) {
    const NameId total = c.variable("pieces", ScalarType::i64);
    c.emit(PieceCount{total, c.mul(segments, width), grain_for(c, cost)});
    return c.divide_up(total, c.divide_up(some_segments, ir::i64_operand(plan.streams)));
  }
  const Operand wanted = c.divide(resident_threads(c), some_segments);
  const Operand useful = c.divide(width, ir::i64_operand(plan.least));
  return c.maximum(one, c.minimum(ir::i64_operand(plan.most), c.minimum(wanted, useful)));
}

Groups combine_groups(Context& c, const CombiningRounds& plan, const std::vector<Operand>& outer,
                      const Operand& count, PartialOrder order, const GroupFunction& combine) {
  if (c.mode != Mode::host || plan.rounds == 0) return {count, ir::i64_operand(1)};
  const bool is_inside = order == PartialOrder::pieces_inside;
  const Operand few = ir::i64_operand(plan.at_once);
  const Operand most = ir::i64_operand(plan.most_at_once);
  const NameId left = c.mutable_variable("left", ScalarType::i64, count);
  const NameId stride = c.mutable_variable("stride", ScalarType::i64, ir::i64_operand(1));
  for (int step = 0; step < plan.rounds; ++step) {
    host_branch(c, c.less(few, left),
                [&] {
                  const Operand size = c.minimum(c.maximum(few, c.divide_up(left, few)), most);
                  const Operand groups = c.divide_up(left, size);
                  std::vector<Operand> extents = outer;
                  extents.insert(is_inside ? extents.end() : extents.begin(), groups);
                  for_each_point(c, extents, cost_of_combining(c, size), "combine_groups",
                                 [&](std::vector<Operand> point) {
                                   const auto group = is_inside ? point.end() - 1 : point.begin();
                                   const Operand first = c.mul(*group, size);
                                   point.erase(group);
                                   combine(point, c.mul(first, stride),
                                           {c.minimum(size, c.sub(left, first)), stride});
                                 });
                  c.move(left, groups);
                  c.move(stride, c.mul(stride, size));
                },
                {});
  }
  return {left, stride};
}

Operand cost_of_combining(Context& c, const Operand& count) {
  return c.mul(count, ir::i64_operand(c.settings.combined));
}

Pieces cut_segments(Context& c, const std::vector<ir::SpaceDimension>& space, const Operand& cost,
                    const ir::InPieces& plan, std::int64_t unit) {
  Pieces pieces;
  pieces.outer = extents_of(space);
  pieces.width = pieces.outer.back();
  pieces.outer.pop_back();
  const Operand segments = c.product(pieces.outer);
  pieces.count = piece_count(c, segments, pieces.width, cost, plan);
  const Operand units = ir::i64_operand(unit);
  pieces.chunk = c.mul(c.divide_up(pieces.width, c.mul(pieces.count, units)), units);
  return pieces;
}

Operand length_of_part(Context& c, const Operand& length, std::int64_t parts, std::int64_t unit) {
  const Operand units = c.divide(length, ir::i64_operand(parts * unit));
  const Operand even = c.sub(ir::i64_operand(1), c.remainder(units, ir::i64_operand(2)));
  return c.mul(c.maximum(c.sub(units, even), ir::i64_operand(0)), ir::i64_operand(unit));
}

void for_each_piece(
    Context& c, const Pieces& pieces, const Operand& cost,
    const std::function<void(const std::vector<Operand>&, Operand, Operand, Operand)>& body) {
  std::vector<Operand> extents = pieces.outer;
  extents.push_back(pieces.count);
  const Operand work = c.mul(cost, pieces.chunk);
  const PointFunction each = [&](const std::vector<Operand>& point) {
    const Operand start = c.mul(point.back(), pieces.chunk);
    const Operand left = c.maximum(c.sub(pieces.width, start), ir::i64_operand(0));
    const std::vector<Operand> outer(point.begin(), point.end() - 1);
    body(outer, point.back(), start, c.minimum(pieces.chunk, left));
  };
  const bool by_tasks = c.mode == Mode::host && !c.has_kernels();
  if (by_tasks && !pieces.outer.empty()) {
    parallel_few(c, extents, work, each);
  } else {
    for_each_point(c, extents, work, "piece", each);
  }
}

void for_each_segment(Context& c, const std::vector<ir::SpaceDimension>& space,
                      const Operand& element_cost, std::string_view kernel,
                      const std::function<void(const std::vector<Operand>& segment)>& body) {
  std::vector<Operand> outer = extents_of(space);
  const Operand width = outer.back();
  outer.pop_back();
  const Operand cost = c.has_kernels() ? element_cost : c.mul(element_cost, width);
  for_each_point(c, outer, cost, kernel, body);
}

std::vector<Place> partial_arrays(Context& c, const std::vector<ir::Type>& types,
                                  const Pieces& pieces) {
  std::vector<Place> arrays;
  for (const ir::Type& type : types) {
    ir::Type all = type;
    all.shape.insert(all.shape.begin(), pieces.count);
    all.shape.insert(all.shape.begin(), pieces.outer.begin(), pieces.outer.end());
    arrays.push_back(new_array(c, all, "partial"));
  }
  return arrays;
}

std::vector<Value> values_at(Context& c, const std::vector<Place>& arrays,
                             const std::vector<ir::Type>& types,
                             const std::vector<Operand>& point) {
  std::vector<Value> values;
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    if (types[k].is_scalar()) {
      values.push_back({load(c, arrays[k], point, types[k].element, "x"), types[k], std::nullopt});
    } else {
      values.push_back({Operand(), types[k], part_at(c, arrays[k], point)});
    }
  }
  return values;
}

void write_all(Context& c, const std::vector<Place>& arrays, const std::vector<Operand>& point,
               const std::vector<Value>& values) {
  for (std::size_t k = 0; k < arrays.size(); ++k) write(c, arrays[k], point, values[k]);
}

}  // namespace dagaz::emit
