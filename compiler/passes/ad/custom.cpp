// with_vjp f f' x  =  f x,  where no derivative is taken
#include "passes/ad/custom.h"

#include <utility>

#include "ir/fields.h"
#include "ir/rewrite.h"
#include "passes/ad/consumption.h"

namespace dagaz::passes::ad {

using namespace ir;

// The function's statements, after its parameters are bound to the arguments.  What the function
// consumes is a copy: an argument is only observed.
static void inline_function(Statement statement, Names& names, FunctionDerivatives& functions,
                            Builder& out) {
  CustomDerivative custom = std::move(std::get<CustomDerivative>(statement.operation));
  const NameSet consumed = consumed_names(custom.function.body.statements, names, functions);
  for (std::size_t i = 0; i < custom.arguments.size(); ++i) {
    const NameId parameter = custom.function.parameters[i].name;
    Operation pass = Identity{custom.arguments[i]};
    if (consumed.count(parameter) != 0) pass = Copy{custom.arguments[i].name()};
    out.add(Statement{{Binder{parameter}}, std::move(pass), statement.tokens, statement.location});
  }
  out.add_all(std::move(custom.function.body.statements));
  const auto tape = static_cast<std::size_t>(custom.tape);
  for (std::size_t i = 0; i < statement.results.size(); ++i) {
    const Operand& value = custom.function.body.results[tape + i];
    out.add(Statement{{statement.results[i]}, Identity{value}, {}, statement.location});
  }
}

void inline_custom_derivatives(Body& body, Names& names, FunctionDerivatives& functions) {
  rewrite_statements(body, names, Scopes::all, [&](Statement& statement, Builder& out) {
    if (!std::holds_alternative<CustomDerivative>(statement.operation)) return false;
    inline_function(std::move(statement), names, functions, out);
    return true;
  });
}

std::size_t first_differentiated(const CustomDerivative& custom) {
  if (custom.tape == 0) return 0;
  const auto tape = static_cast<std::size_t>(custom.tape);
  const std::size_t results = custom.function.body.results.size() - tape;
  return custom.adjoint.parameters.size() - results;
}

}  // namespace dagaz::passes::ad
