// Where the program gives an adjoint, it says nothing about tangents: the function itself is
// differentiated.
#include "passes/ad/custom.h"
#include "passes/ad/rules/forward_rules.h"

namespace dagaz::passes::ad {

using namespace ir;

void tangent_rule(Forward& f, const Statement& statement, const CustomDerivative& custom) {
  for (std::size_t i = 0; i < custom.arguments.size(); ++i) {
    const NameId parameter = custom.function.parameters[i].name;
    f.environment.bind(parameter, f.environment.operand(custom.arguments[i]));
    f.tangents.bind_as(parameter, custom.arguments[i]);
  }
  emit_dual(f, custom.function.body.statements);
  const std::size_t first = first_differentiated(custom);
  for (std::size_t i = 0; i < statement.results.size(); ++i) {
    const NameId result = statement.results[i].name;
    const Operand& value = custom.function.body.results[first + i];
    f.environment.bind(result, f.environment.operand(value));
    f.tangents.bind_as(result, value);
  }
}

}  // namespace dagaz::passes::ad
