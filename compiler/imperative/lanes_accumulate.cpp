// Accumulation in lanes: values for one place are combined in registers first and written once.
#include "imperative/lanes.h"

#include <algorithm>

namespace dagaz::imperative {

void Lanes::lower(const ir::Statement& s, const ir::Accumulate& e) {
  const Accumulator accumulator = low_.accumulator_of(e.accumulator);
  low_.continue_accumulator(s.results[0].name, e.accumulator);
  low_.uses_private_memory_ = true;  // iterations meet in memory: not independent
  if (!accumulator.row.is_scalar() || !accumulator.op) throw NotInLanes{};
  const bool one_place = std::all_of(e.indices.begin(), e.indices.end(), [&](const Operand& one) {
    return scalar_of(one).is_uniform();
  });
  if (!one_place || !is_simple(*accumulator.op)) {
    accumulate_lanes(e);
    return;
  }
  const auto& op = *as<ir::Scalar>(accumulator.op->body.statements[0].operation);
  const LaneScalar value = scalar_of(e.value);
  Operand sum;
  for (std::int64_t row = 0; row < block_.rows; ++row) {
    for (std::int64_t column = 0; column < block_.columns; ++column) {
      const Operand next = with_lanes(piece(value, row, column), op.type);
      if (row + column == 0) {
        sum = next;
        continue;
      }
      const NameId both = lane_variable("sum", op.type);
      low_.emit(Assign{both, op.op, op.type, op.type, {sum, next}});
      sum = both;
    }
  }
  const NameId total = low_.variable("total", op.type);
  low_.emit(CombineLanes{total, op.op, op.type, sum});
  count_work(true);
  low_.accumulate(e, {total, ir::scalar_of(op.type), std::nullopt});
}

// Point after point.
void Lanes::accumulate_lanes(const ir::Accumulate& e) {
  count_work(false);
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

}  // namespace dagaz::imperative
