// Accumulation in lanes: values for one place are combined in registers first and written once.
//
// A loop that only adds, each iteration to a place of its own, runs in blocks of as many iterations
// as there are lanes: then the sums over the lanes of all of them are taken at once, and go to
// neighbouring places as one vector.
#include <algorithm>

#include "emit/lanes/arrays.h"
#include "emit/lanes/masks.h"
#include "emit/lanes/own_accumulators.h"
#include "emit/lanes/serial.h"
#include "emit/lanes/statements.h"
#include "emit/lanes/values.h"
#include "emit/memory/allocation.h"
#include "emit/memory/elements.h"
#include "emit/thread/accumulation.h"
#include "emit/thread/combine.h"
#include "emit/thread/loops.h"

namespace dagaz::emit {

static Operand sum_of(Lanes& l, const std::vector<Operand>& vectors, const ir::Scalar& op) {
  Operand sum = vectors[0];
  for (std::size_t k = 1; k < vectors.size(); ++k) {
    const NameId both = lane_variable(l, "sum", op.type);
    l.c.emit(Assign{both, op.op, op.type, op.type, {sum, vectors[k]}});
    sum = both;
  }
  return sum;
}

static Operand sum_of_row(Lanes& l, const LaneScalar& value, std::int64_t row,
                          const ir::Scalar& op) {
  std::vector<Operand> pieces;
  for (std::int64_t column = 0; column < l.block.columns; ++column) {
    pieces.push_back(with_lanes(l, piece_of(l, value, row, column), op.type));
  }
  return sum_of(l, pieces, op);
}

// Point after point.
static void accumulate_lanes(Lanes& l, const ir::Accumulate& e) {
  const LaneScalar value = scalar_of(l, e.value);
  const Place values = spill(l, value);
  std::vector<Place> indices;
  for (const Operand& index : e.indices) indices.push_back(spill(l, scalar_of(l, index)));
  for_running_points(l, [&](const Operand& i) {
    ir::Accumulate one{e.accumulator, {}, {}};
    for (const Place& index : indices) {
      one.indices.push_back(load(l.c, index, {i}, ScalarType::i64, "index"));
    }
    const Operand loaded = load(l.c, values, {i}, value.type, "value");
    accumulate(l.c, one, {loaded, ir::scalar_of(value.type), std::nullopt});
  });
}

// ---------------------------------------------------------------- a place for each row

namespace {

/// How the places of rows lie.
enum class Places { apart, upwards, downwards };

Places places_of(const LaneScalar& offset) {
  if (!offset.affine) return Places::apart;
  if (is_constant(offset.affine->row_step, 1)) return Places::upwards;
  return is_constant(offset.affine->row_step, -1) ? Places::downwards : Places::apart;
}

}  // namespace

static void accumulate_rows(Lanes& l, const ir::Accumulate& e, const Accumulator& accumulator,
                            const std::vector<LaneScalar>& indices, const LaneScalar& value) {
  if (l.block.rows != l.block.width) refuse("additions of some rows");
  const LaneArray element =
      part_of(l, {accumulator.place, uniform(l, accumulator.place.offset)}, indices);
  const Places places = places_of(element.offset);
  const auto& op = *as<ir::Scalar>(accumulator.op->body.statements[0].operation);
  // Where places are neighbours, in their order.
  CombineEach sums{lane_variable(l, "totals", op.type), op.op, op.type, {}};
  const auto row_at = [&](std::int64_t k) {
    return places == Places::downwards ? l.block.rows - 1 - k : k;
  };
  for (std::int64_t k = 0; k < l.block.rows; ++k) {
    sums.values.push_back(sum_of_row(l, value, row_at(k), op));
  }
  l.c.emit(sums);
  const auto at = [&](std::int64_t k) {
    std::vector<Operand> place;
    for (const LaneScalar& index : indices) place.push_back(piece_of(l, index, row_at(k), 0));
    return place;
  };
  const auto one_by_one = [&] {
    const Place totals =
        private_array(l.c, ir::array_of(op.type, {ir::i64_operand(l.block.rows)}), "totals");
    l.c.emit(StoreLanes{totals.block, ir::i64_operand(0), ir::i64_operand(1), sums.target.name,
                        op.type});
    for (std::int64_t k = 0; k < l.block.rows; ++k) {
      const Operand total = load(l.c, totals, {ir::i64_operand(k)}, op.type, "total");
      accumulate(l.c, {e.accumulator, at(k), {}}, {total, ir::scalar_of(op.type), std::nullopt});
    }
  };
  if (places == Places::apart || accumulator.opened != l.c.mode) {
    one_by_one();
    return;
  }
  const Operand inside = l.c.both(is_inside(l.c, at(0), accumulator.shape),
                                  is_inside(l.c, at(l.block.rows - 1), accumulator.shape));
  l.c.branch(
      inside,
      [&] {
        const Operand first = piece_of(l, element.offset, row_at(0), 0);
        const NameId old = lane_variable(l, "old", op.type);
        const NameId sum = lane_variable(l, "sum", op.type);
        const NameId block = accumulator.place.block;
        l.c.emit(LoadLanes{old, block, first, ir::i64_operand(1), op.type});
        l.c.emit(Assign{sum, op.op, op.type, op.type, {old, sums.target.name}});
        l.c.emit(StoreLanes{block, first, ir::i64_operand(1), sum, op.type});
      },
      one_by_one);
}

void emit_operation(Lanes& l, const ir::Statement& s, const ir::Accumulate& e) {
  continue_accumulator(l, s.results[0].name, e.accumulator);
  if (const auto own = l.known.accumulators.find(e.accumulator);
      own != l.known.accumulators.end()) {
    accumulate_own(l, e, own->second);
    return;
  }
  const Accumulator accumulator = l.c.accumulators.of(e.accumulator);
  l.c.thread.uses_memory = true;  // iterations meet in memory: not independent
  if (!accumulator.row.is_scalar() || !accumulator.op) refuse("an addition of rows");
  std::vector<LaneScalar> indices;
  for (const Operand& index : e.indices) indices.push_back(scalar_of(l, index));
  const bool differ = std::any_of(indices.begin(), indices.end(),
                                  [](const LaneScalar& index) { return index.by_point; });
  if (differ || !is_simple(*accumulator.op)) {
    accumulate_lanes(l, e);
    return;
  }
  const auto& op = *as<ir::Scalar>(accumulator.op->body.statements[0].operation);
  const LaneScalar value =
      where_running(l, scalar_of(l, e.value), uniform(l, accumulator.neutral->at(0)));
  if (std::any_of(indices.begin(), indices.end(),
                  [](const LaneScalar& index) { return index.by_row; })) {
    accumulate_rows(l, e, accumulator, indices, value);
    return;
  }
  std::vector<Operand> pieces;
  for (std::int64_t row = 0; row < l.block.rows; ++row) {
    pieces.push_back(sum_of_row(l, value, row, op));
  }
  const NameId total = l.c.variable("total", op.type);
  l.c.emit(CombineLanes{total, op.op, op.type, sum_of(l, pieces, op)});
  accumulate(l.c, e, {total, ir::scalar_of(op.type), std::nullopt});
}

}  // namespace dagaz::emit
