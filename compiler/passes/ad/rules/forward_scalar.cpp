// Scalar code:  y = f(x₁, …)  has  ẏ = Σᵢ ∂f/∂xᵢ·ẋᵢ,  with the partial derivatives of
// scalar_derivatives.h.
#include <utility>

#include "passes/ad/rules/forward_rules.h"
#include "passes/ad/scalar_derivatives.h"

namespace dagaz::passes::ad {

using namespace ir;

void tangent_rule(Forward& f, const Statement& statement, const Identity& identity) {
  f.environment.bind(statement.results[0].name, f.environment.operand(identity.value));
  f.tangents.bind_each(statement, f.tangents.dependence().of(identity.value),
                       [&](int j) { return f.tangents.or_zero(identity.value, j); });
}

void tangent_rule(Forward& f, const Statement& statement, const Scalar& scalar) {
  f.environment.copy_statement(statement);
  const Operand result(statement.results[0].name);
  if (f.tangents.dependence().of(result) == 0) return;
  const ScalarSite site{scalar.op, scalar.type, scalar.result,
                        f.environment.operands(scalar.arguments), f.environment.operand(result)};
  std::vector<std::optional<Partial>> partials(scalar.arguments.size());
  for (int j = 0; j < f.tangents.directions(); ++j) {
    std::optional<Operand> sum;
    std::optional<std::pair<const ChoicePartial*, Operand>> choice;
    for (std::size_t i = 0; i < scalar.arguments.size(); ++i) {
      const auto along = f.tangents.of(scalar.arguments[i], j);
      if (!along) continue;
      if (!partials[i]) {
        partials[i] = partial_derivative(f.environment, site, static_cast<int>(i));
      }
      const auto* chosen = std::get_if<ChoicePartial>(&*partials[i]);
      if (chosen != nullptr && choice) {
        // Both alternatives have a tangent: one choice between the two.
        const bool yes = choice->first->if_holds;
        sum = f.environment.out().select(scalar.type, chosen->condition,
                                         yes ? choice->second : *along,
                                         yes ? *along : choice->second);
        continue;
      }
      if (chosen != nullptr) choice = {chosen, *along};
      const auto term = push_forward(f.environment, site, *partials[i], *along);
      if (!term) continue;
      sum = sum ? f.environment.add(scalar_of(site.result_type), *sum, *term) : *term;
    }
    if (sum) f.tangents.bind(result.name(), j, *sum);
  }
}

void tangent_rule(Forward& f, const Statement& statement, const Assert&) {
  f.environment.copy_statement(statement);
}

}  // namespace dagaz::passes::ad
