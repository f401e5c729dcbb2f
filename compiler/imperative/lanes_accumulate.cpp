// Accumulation in lanes: values for one place are combined in registers first and written once.
//
// A loop that only adds, each iteration to a place of its own, runs in blocks of as many iterations
// as there are lanes: then the sums over the lanes of all of them are taken at once, and go to
// neighbouring places as one vector.
#include "imperative/lanes.h"

#include <algorithm>

namespace dagaz::imperative {

// ---------------------------------------------------------------- one place for all points

void Lanes::lower(const ir::Statement& s, const ir::Accumulate& e) {
  const Accumulator accumulator = low_.accumulator_of(e.accumulator);
  low_.continue_accumulator(s.results[0].name, e.accumulator);
  low_.thread.uses_memory = true;  // iterations meet in memory: not independent
  if (!accumulator.row.is_scalar() || !accumulator.op) refuse("an addition of rows");
  std::vector<LaneScalar> indices;
  for (const Operand& index : e.indices) indices.push_back(scalar_of(index));
  const bool differ = std::any_of(indices.begin(), indices.end(),
                                  [](const LaneScalar& index) { return index.by_point; });
  if (differ || !is_simple(*accumulator.op)) {
    accumulate_lanes(e);
    return;
  }
  const auto& op = *as<ir::Scalar>(accumulator.op->body.statements[0].operation);
  const LaneScalar value = scalar_of(e.value);
  if (std::any_of(indices.begin(), indices.end(),
                  [](const LaneScalar& index) { return index.by_row; })) {
    accumulate_rows(e, accumulator, indices, value);
    return;
  }
  std::vector<Operand> pieces;
  for (std::int64_t row = 0; row < block_.rows; ++row) {
    pieces.push_back(sum_of_row(value, row, op));
  }
  const NameId total = low_.variable("total", op.type);
  low_.emit(CombineLanes{total, op.op, op.type, sum_of(pieces, op)});
  low_.accumulate(e, {total, ir::scalar_of(op.type), std::nullopt});
}

Operand Lanes::sum_of(const std::vector<Operand>& vectors, const ir::Scalar& op) {
  Operand sum = vectors[0];
  for (std::size_t k = 1; k < vectors.size(); ++k) {
    const NameId both = lane_variable("sum", op.type);
    low_.emit(Assign{both, op.op, op.type, op.type, {sum, vectors[k]}});
    sum = both;
  }
  return sum;
}

Operand Lanes::sum_of_row(const LaneScalar& value, std::int64_t row, const ir::Scalar& op) {
  std::vector<Operand> pieces;
  for (std::int64_t column = 0; column < block_.columns; ++column) {
    pieces.push_back(with_lanes(piece(value, row, column), op.type));
  }
  return sum_of(pieces, op);
}

// Point after point.
void Lanes::accumulate_lanes(const ir::Accumulate& e) {
  const LaneScalar value = scalar_of(e.value);
  const Place values = spill(value);
  std::vector<Place> indices;
  for (const Operand& index : e.indices) indices.push_back(spill(scalar_of(index)));
  low_.thread_loop(ir::i64_operand(block_.points()), false, [&](const Operand& i) {
    ir::Accumulate one{e.accumulator, {}, {}};
    for (const Place& index : indices) {
      one.indices.push_back(low_.load(index, {i}, ScalarType::i64, "index"));
    }
    const Operand loaded = low_.load(values, {i}, value.type, "value");
    low_.accumulate(one, {loaded, ir::scalar_of(value.type), std::nullopt});
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

void Lanes::accumulate_rows(const ir::Accumulate& e, const Accumulator& accumulator,
                            const std::vector<LaneScalar>& indices, const LaneScalar& value) {
  if (block_.rows != block_.width) refuse("additions of some rows");
  const LaneArray element =
      part_of({accumulator.place, uniform(accumulator.place.offset)}, indices);
  const Places places = places_of(element.offset);
  const auto& op = *as<ir::Scalar>(accumulator.op->body.statements[0].operation);
  // Where places are neighbours, in their order.
  CombineEach sums{lane_variable("totals", op.type), op.op, op.type, {}};
  const auto row_at = [&](std::int64_t k) {
    return places == Places::downwards ? block_.rows - 1 - k : k;
  };
  for (std::int64_t k = 0; k < block_.rows; ++k) {
    sums.values.push_back(sum_of_row(value, row_at(k), op));
  }
  low_.emit(sums);
  const auto at = [&](std::int64_t k) {
    std::vector<Operand> place;
    for (const LaneScalar& index : indices) place.push_back(piece(index, row_at(k), 0));
    return place;
  };
  const auto one_by_one = [&] {
    const Place totals =
        low_.private_array(ir::array_of(op.type, {ir::i64_operand(block_.rows)}), "totals");
    low_.emit(StoreLanes{totals.block, zero(), ir::i64_operand(1), sums.target.name, op.type});
    for (std::int64_t k = 0; k < block_.rows; ++k) {
      const Operand total = low_.load(totals, {ir::i64_operand(k)}, op.type, "total");
      low_.accumulate({e.accumulator, at(k), {}}, {total, ir::scalar_of(op.type), std::nullopt});
    }
  };
  if (places == Places::apart || accumulator.opened != low_.mode) {
    one_by_one();
    return;
  }
  const Operand inside = low_.both(low_.is_inside(at(0), accumulator.shape),
                                   low_.is_inside(at(block_.rows - 1), accumulator.shape));
  low_.branch(inside, [&] {
    const Operand first = piece(element.offset, row_at(0), 0);
    const NameId old = lane_variable("old", op.type);
    const NameId sum = lane_variable("sum", op.type);
    const NameId block = accumulator.place.block;
    low_.emit(LoadLanes{old, block, first, ir::i64_operand(1), op.type});
    low_.emit(Assign{sum, op.op, op.type, op.type, {old, sums.target.name}});
    low_.emit(StoreLanes{block, first, ir::i64_operand(1), sum, op.type});
  }, one_by_one);
}

}  // namespace dagaz::imperative
