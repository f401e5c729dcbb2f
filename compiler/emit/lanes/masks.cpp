#include "emit/lanes/masks.h"

#include "emit/lanes/values.h"

namespace dagaz::emit {

LaneScalar masked(Lanes& l, const LaneScalar& condition) {
  if (!l.mask) return condition;
  const ScalarType boolean = ScalarType::boolean;
  return apply(l, ScalarOp::bit_and, boolean, boolean, {*l.mask, condition});
}

LaneScalar are_inside(Lanes& l, const std::vector<LaneScalar>& indices,
                             const std::vector<Operand>& shape) {
  const ScalarType index = ScalarType::i64;
  const ScalarType boolean = ScalarType::boolean;
  LaneScalar inside = uniform(l, ir::Constant(ir::make_bool(true)));
  for (std::size_t k = 0; k < indices.size(); ++k) {
    // As unsigned numbers those below zero are the largest.
    const LaneScalar below =
        apply(l, ScalarOp::ult, index, boolean, {indices[k], uniform(l, shape[k])});
    inside = k == 0 ? below : apply(l, ScalarOp::bit_and, boolean, boolean, {inside, below});
  }
  return inside;
}

LaneScalar negated(Lanes& l, const LaneScalar& condition) {
  const ScalarType boolean = ScalarType::boolean;
  return apply(l, ScalarOp::bit_not, boolean, boolean, {condition});
}

Operand holds_somewhere(Lanes& l, const LaneScalar& condition) {
  Operand some = ir::Constant(ir::make_bool(false));
  for (std::int64_t column = 0; column < l.block.columns; ++column) {
    const Operand lanes = with_lanes(l, piece_of(l, condition, 0, column), ScalarType::boolean);
    if (column == 0) {
      some = lanes;
      continue;
    }
    const NameId either = lane_variable(l, "either", ScalarType::boolean);
    l.c.emit(Assign{
        either, ScalarOp::bit_or, ScalarType::boolean, ScalarType::boolean, {some, lanes}});
    some = either;
  }
  const NameId any = l.c.variable("any", ScalarType::boolean);
  l.c.emit(CombineLanes{any, ScalarOp::bit_or, ScalarType::boolean, some});
  return any;
}

void where_or_nowhere(Lanes& l, const LaneScalar& condition, const std::function<void()>& body) {
  const std::optional<LaneScalar> outer = l.mask;
  l.mask = masked(l, condition);
  body();
  l.mask = outer;
}

void where(Lanes& l, const LaneScalar& condition, const std::function<void()>& body) {
  const LaneScalar running = masked(l, condition);
  const Operand some = holds_somewhere(l, running);
  const std::optional<LaneScalar> outer = l.mask;
  l.mask = running;
  Code code = l.c.collect(body);
  l.mask = outer;
  l.c.emit(If{some, std::move(code), {}});
}

std::optional<Operand> mask_of(Lanes& l, std::int64_t row, std::int64_t column) {
  if (!l.mask) return std::nullopt;
  return with_lanes(l, piece_of(l, *l.mask, row, column), ScalarType::boolean);
}

LaneScalar where_running(Lanes& l, const LaneScalar& value, const LaneScalar& otherwise) {
  if (!l.mask) return value;
  return apply(l, ScalarOp::select, value.type, value.type, {*l.mask, value, otherwise});
}

void set_where_running(Lanes& l, const LaneScalar& variables, const LaneScalar& value) {
  set_variables(l, variables, where_running(l, value, variables));
}

}  // namespace dagaz::emit
