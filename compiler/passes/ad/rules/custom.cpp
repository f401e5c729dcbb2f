// Derivatives that the program gives:  ys = with_vjp f g xs  has  x̄s += g(tape, ȳs),  where f
// gives the tape and ys; g gets ys where there is no tape.
#include "passes/ad/custom.h"
#include "passes/ad/rules/rules.h"

namespace dagaz::passes::ad {

using namespace ir;

void forward_custom(Reverse& r, const Statement& statement, const CustomDerivative& custom) {
  const std::vector<Operand> results =
      r.environment.inline_lambda(custom.function, r.environment.operands(custom.arguments));
  const std::size_t first = first_differentiated(custom);
  for (std::size_t i = 0; i < statement.results.size(); ++i) {
    r.environment.bind(statement.results[i].name, results[first + i]);
  }
}

void adjoint_rule(Reverse& r, const Statement& statement, const CustomDerivative& custom) {
  std::vector<Operand> arguments;
  const std::size_t kept = first_differentiated(custom);
  const auto& values = custom.function.body.results;
  if (custom.tape > 0) {
    for (std::size_t i = 0; i < kept; ++i) arguments.push_back(r.environment.operand(values[i]));
  } else {
    for (const Operand& value : values) arguments.push_back(r.environment.operand(value));
  }
  for (const Binder& result : statement.results)
    arguments.push_back(r.adjoints.take_or_zero(result.name));
  const std::vector<Operand> adjoints = r.environment.inline_lambda(custom.adjoint, arguments);
  for (std::size_t i = 0; i < custom.arguments.size(); ++i) {
    r.adjoints.add(custom.arguments[i], adjoints[i], Ownership::shared);
  }
  r.note(statement, "custom derivative", "reverse", "the program gives the adjoint");
}

}  // namespace dagaz::passes::ad
