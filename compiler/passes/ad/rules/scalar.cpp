// Scalar code:  y = f(x₁, …)  has  x̄ᵢ += ȳ·∂f/∂xᵢ,  with the partial derivatives of
// scalar_derivatives.h.
#include "passes/ad/rules/rules.h"
#include "passes/ad/scalar_derivatives.h"

namespace dagaz::passes::ad {

using namespace ir;

void adjoint_rule(Reverse& r, const Statement& statement, const Identity& identity) {
  const auto adjoint = r.adjoints.take(statement.results[0].name);
  r.adjoints.add(identity.value, *adjoint->value, adjoint->ownership);
}

void adjoint_rule(Reverse& r, const Statement& statement, const Scalar& scalar) {
  const auto adjoint = r.adjoints.take(statement.results[0].name);
  if (!adjoint) return;
  const ScalarSite site{scalar.op, scalar.type, scalar.result,
                        r.environment.operands(scalar.arguments),
                        r.environment.operand(Operand(statement.results[0].name))};
  for (std::size_t i = 0; i < scalar.arguments.size(); ++i) {
    if (!r.adjoints.is_active(scalar.arguments[i])) continue;
    const Partial partial = partial_derivative(r.environment, site, static_cast<int>(i));
    if (const auto term = pull_back(r.environment, site, partial, *adjoint->value)) {
      r.adjoints.add(scalar.arguments[i], *term, Ownership::owned);
    }
  }
}

// Nothing flows through a check.
void adjoint_rule(Reverse&, const Statement&, const Assert&) {}

}  // namespace dagaz::passes::ad
