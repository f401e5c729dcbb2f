// Calls of functions that were not inlined, which recursion needs:  ys = f(xs)  has
// x̄s += f̄(xs, ȳs),  where f̄ is the function's reverse version (function_derivatives.h).
#include "passes/ad/rules/rules.h"

namespace dagaz::passes::ad {

using namespace ir;

void adjoint_rule(Reverse& r, const Statement& statement, const Call& call) {
  const std::string derivative = r.environment.functions().reverse_version(call.function);
  Call back{derivative, r.environment.operands(call.arguments), {}};
  const Function& function = r.environment.functions().function(call.function);
  std::vector<Type> types;
  for (const Binder& result : statement.results) {
    types.push_back(r.environment.type_of(Operand(result.name)));
  }
  for (const Operand& size : sizes_known_inside(function)) {
    back.arguments.push_back(size_at_call(function, size, types));
  }
  for (const Binder& result : statement.results) {
    if (carries_derivative(r.names().type(result.name))) {
      back.arguments.push_back(r.adjoints.take_or_zero(result.name));
    }
  }
  std::vector<Binder> adjoints;
  std::vector<Operand> arguments;
  for (const Operand& argument : call.arguments) {
    const Type type = r.names().type(argument);
    if (!carries_derivative(type)) continue;
    back.result_types.push_back(r.environment.type(type));
    adjoints.push_back(Binder{r.names().fresh("adjoint", r.environment.type(type))});
    arguments.push_back(argument);
  }
  if (adjoints.empty()) return;
  r.out().add(Statement{adjoints, std::move(back), r.environment.names_of(statement.tokens),
                        statement.location});
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    // For all that a caller knows, a result of a call is part of an argument.
    r.adjoints.add(arguments[i], adjoints[i].name, Ownership::shared);
  }
  r.note(statement, "call of `" + call.function + "`", "reverse",
         "a recursive function has a derivative function, which calls itself");
}

}  // namespace dagaz::passes::ad
