#include "passes/ad/rules/dual_operators.h"

#include <utility>

#include "passes/ad/lists.h"

namespace dagaz::passes::ad {

using namespace ir;

Lambda dual_operator(Forward& f, const Lambda& op, const Slots& slots) {
  const std::size_t arity = op.parameters.size() / 2;
  Lambda result;
  for (std::size_t side = 0; side < 2; ++side) {
    const std::vector<Binder> operands = part(op.parameters, side * arity, (side + 1) * arity);
    result.parameters =
        concatenated(std::move(result.parameters), f.tangents.dual_binders(operands, slots));
  }
  result.body = dual_body(f, op.body, slots);
  result.result_types = f.tangents.dual_types(op.result_types, slots);
  return result;
}

std::vector<Operand> dual_neutral(Forward& f, const std::vector<Operand>& originals,
                                  const Slots& slots) {
  std::vector<Operand> all = f.environment.operands(originals);
  for (const Slot& slot : slots) {
    all.push_back(f.environment.zero(f.environment.type_of(originals[slot.index])));
  }
  return all;
}

}  // namespace dagaz::passes::ad
