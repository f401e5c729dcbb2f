#include "passes/ad/extremum.h"

#include <limits>

namespace dagaz::passes::ad {

using namespace ir;

bool is_extremum(ScalarOp op) {
  switch (op) {
    case ScalarOp::smin: case ScalarOp::smax: case ScalarOp::umin: case ScalarOp::umax:
    case ScalarOp::fmin: case ScalarOp::fmax: return true;
    default: return false;
  }
}

ReduceOperator first_extremum(ScalarOp op, ScalarType type, Operand neutral, Builder& out) {
  const Type value_type = scalar_of(type);
  const Type index_type = scalar_of(ScalarType::i64);
  ReduceOperator best;
  best.commutative = true;
  best.neutral = {neutral, Operand(make_i64(std::numeric_limits<std::int64_t>::max()))};
  best.op = out.lambda(
      {value_type, index_type, value_type, index_type}, {"x", "i", "y", "j"},
      [&](Builder& inner, const std::vector<NameId>& p) {
        // A number wins over NaN: then, too, only one of them is the extremum.  With two NaNs
        // neither is, which is a tie like two equal numbers.
        const Operand value = inner.scalar(op, type, {Operand(p[0]), Operand(p[2])});
        const Operand x_is = inner.scalar(ScalarOp::eq, type, {Operand(p[0]), value});
        const Operand y_is = inner.scalar(ScalarOp::eq, type, {Operand(p[2]), value});
        const Operand tie = inner.scalar(ScalarOp::eq, ScalarType::boolean, {x_is, y_is});
        const Operand earlier =
            inner.scalar(ScalarOp::smin, ScalarType::i64, {Operand(p[1]), Operand(p[3])});
        const Operand place = inner.select(ScalarType::i64, x_is, p[1], p[3]);
        return std::vector<Operand>{value, inner.select(ScalarType::i64, tie, earlier, place)};
      });
  return best;
}

}  // namespace dagaz::passes::ad
