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
  const bool real = is_float(type);
  const bool is_unsigned = op == ScalarOp::umin || op == ScalarOp::umax;
  const ScalarOp less = real ? ScalarOp::flt : is_unsigned ? ScalarOp::ult : ScalarOp::slt;
  const bool minimum = op == ScalarOp::smin || op == ScalarOp::umin || op == ScalarOp::fmin;
  const Type value_type = scalar_of(type);
  const Type index_type = scalar_of(ScalarType::i64);
  ReduceOperator best;
  best.commutative = true;
  best.neutral = {neutral, Operand(make_i64(std::numeric_limits<std::int64_t>::max()))};
  best.op = out.lambda(
      {value_type, index_type, value_type, index_type}, {"x", "i", "y", "j"},
      [&](Builder& inner, const std::vector<NameId>& p) {
        const auto before = [&](NameId a, NameId b) {
          const Operand first = minimum ? a : b;
          const Operand second = minimum ? b : a;
          const Operand wins = inner.scalar(less, type, {first, second});
          if (!real) return wins;
          // A number wins over NaN.
          const Operand other_nan = inner.scalar(ScalarOp::isnan, type, {Operand(b)});
          return inner.scalar(ScalarOp::bit_or, ScalarType::boolean, {wins, other_nan});
        };
        const Operand x_wins = before(p[0], p[2]);
        const Operand y_wins = before(p[2], p[0]);
        const Operand earlier =
            inner.scalar(ScalarOp::smin, ScalarType::i64, {Operand(p[1]), Operand(p[3])});
        const Operand y_or_tie = inner.select(ScalarType::i64, y_wins, p[3], earlier);
        // Two NaNs win over each other: a tie.
        const Operand both =
            inner.scalar(ScalarOp::bit_and, ScalarType::boolean, {x_wins, y_wins});
        const Operand index = inner.select(
            ScalarType::i64, both, earlier,
            inner.select(ScalarType::i64, x_wins, p[1], y_or_tie));
        const Operand value = inner.select(type, x_wins, p[0], p[2]);
        return std::vector<Operand>{value, index};
      });
  return best;
}

}  // namespace dagaz::passes::ad
