#include "passes/scatter_to_gather/tabulate.h"

#include <utility>

namespace dagaz::passes::gathering {

using namespace ir;

Operand tabulate(const std::vector<Operand>& shape, std::vector<Operand> at, const Element& element,
                 Builder& out) {
  if (at.size() == shape.size()) return element(out, at);
  at.emplace_back();
  return out.map_indices(
      shape[at.size() - 1],
      [&](Builder& in, const std::vector<NameId>& own) {
        at.back() = own[0];
        return std::vector<Operand>{tabulate(shape, at, element, in)};
      },
      "sums")[0];
}

Operand both(const Operand& a, const Operand& b, Builder& out) {
  if (a == Operand(make_bool(true))) return b;
  return out.scalar(ScalarOp::bit_and, ScalarType::boolean, {a, b}, "inside");
}

Operand is_less(const Operand& a, const Operand& b, Builder& out) {
  return out.scalar(ScalarOp::slt, ScalarType::i64, {a, b}, "inside");
}

}  // namespace dagaz::passes::gathering
