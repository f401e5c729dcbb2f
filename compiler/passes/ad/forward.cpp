#include "passes/ad/forward.h"

#include "passes/ad/rules/forward_rules.h"
#include "support/check.h"
#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

void differentiate_forward(Forward& f, const std::vector<Statement>& statements) {
  f.tangents.analyse(statements);
  emit_dual(f, statements);
}

void emit_dual(Forward& f, const std::vector<Statement>& statements) {
  for (const Statement& statement : statements) {
    f.environment.enter_statement(statement);
    match(
        statement.operation,
        [](const Absent auto&) { DZ_UNREACHABLE("no tangents at this stage"); },
        [&](const auto& operation) { tangent_rule(f, statement, operation); });
    for (const Binder& result : statement.results) {
      const auto found = f.provided.find(result.name);
      if (found != f.provided.end()) f.environment.bind(result.name, found->second);
    }
  }
}

Body dual_body(Forward& f, const Body& body, const Slots& slots) {
  NestedScope scope(f.environment);
  emit_dual(f, body.statements);
  return scope.take(f.tangents.dual_operands(body.results, slots));
}

}  // namespace dagaz::passes::ad
