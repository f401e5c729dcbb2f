#include "plan/lane_values.h"

#include "plan/views.h"
#include "support/match.h"

namespace dagaz::plan {

bool may_come_first(const ir::Operation& operation, bool has_rows) {
  if (is_strided_view(operation)) return true;
  return !has_rows && (as<ir::Scalar>(operation) || as<ir::Assert>(operation));
}

static Step negated(const Step& step) { return step * Step(-1); }

std::optional<LaneValue> apply_affine(ir::ScalarOp op, const std::vector<LaneValue>& x) {
  using ir::ScalarOp;
  if (x.size() != 2 || !x[0].affine || !x[1].affine) return std::nullopt;
  LaneValue result;
  result.affine = true;
  result.by_row = x[0].by_row || x[1].by_row;
  result.by_point = x[0].by_point || x[1].by_point;
  if (op == ScalarOp::add) {
    result.base = x[0].base + x[1].base;
    result.row_step = x[0].row_step + x[1].row_step;
    result.point_step = x[0].point_step + x[1].point_step;
  } else if (op == ScalarOp::sub) {
    result.base = x[0].base + negated(x[1].base);
    result.row_step = x[0].row_step + negated(x[1].row_step);
    result.point_step = x[0].point_step + negated(x[1].point_step);
  } else if (op == ScalarOp::mul && (x[0].is_uniform() || x[1].is_uniform())) {
    const LaneValue& moving = x[0].is_uniform() ? x[1] : x[0];
    const Step factor = x[0].is_uniform() ? x[0].base : x[1].base;
    result.base = moving.base * factor;
    result.row_step = moving.row_step * factor;
    result.point_step = moving.point_step * factor;
  } else {
    return std::nullopt;
  }
  if (!result.is_uniform()) result.base.reset();
  return result;
}

}  // namespace dagaz::plan
