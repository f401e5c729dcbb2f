#include "passes/ad/rules/operators.h"

#include <utility>

namespace dagaz::passes::ad {

using namespace ir;

Lambda constant_operator(Reverse& r, const Lambda& op) {
  Lambda result = renamed(op, r.names());
  Substitution inactive;
  for (const NameId name : r.adjoints.active_among(free_names(result, r.names()))) {
    const NameId constant = r.names().fresh_like(name);
    r.environment.bind(constant, r.environment.operand(Operand(name)));
    inactive.emplace(name, constant);
  }
  substitute(result, inactive, r.names());
  return result;
}

Lambda middle_operator(Reverse& r, const Statement& statement, const Lambda& op) {
  const std::size_t arity = op.parameters.size() / 2;
  const Lambda first = renamed(op, r.names());
  Lambda second = constant_operator(r, op);
  Lambda combined;
  std::vector<Binder> rest;
  for (std::size_t i = 0; i < arity; ++i) {
    rest.push_back(Binder{r.names().fresh_like(first.parameters[i].name)});
  }
  combined.parameters = first.parameters;
  combined.parameters.insert(combined.parameters.end(), rest.begin(), rest.end());
  combined.body.statements = first.body.statements;
  for (std::size_t i = 0; i < arity; ++i) {
    const Operand& left = first.body.results[i];
    combined.body.statements.push_back(
        Statement{{second.parameters[i]}, Identity{left}, {}, statement.location});
    combined.body.statements.push_back(
        Statement{{second.parameters[arity + i]}, Identity{rest[i].name}, {}, statement.location});
  }
  for (Statement& each : second.body.statements) {
    combined.body.statements.push_back(std::move(each));
  }
  combined.body.results = second.body.results;
  combined.result_types = op.result_types;
  return combined;
}

std::vector<Operand> operand_adjoints(Reverse& r, const Lambda& op,
                                      const std::vector<Operand>& arguments,
                                      const std::vector<Operand>& adjoints) {
  const Lambda lambda = renamed(op, r.names());
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    r.environment.bind(lambda.parameters[k].name, arguments[k]);
    r.adjoints.activate(lambda.parameters[k].name);
  }
  r.adjoints.analyse(lambda.body.statements);
  auto outer = r.adjoints.exchange({});
  forward_sweep(r, lambda.body.statements);
  for (std::size_t k = 0; k < adjoints.size(); ++k) {
    r.adjoints.add(lambda.body.results[k], adjoints[k], Ownership::owned);
  }
  return_sweep(r, lambda.body.statements);
  std::vector<Operand> result;
  for (const Binder& each : lambda.parameters) result.push_back(r.adjoints.take_or_zero(each.name));
  r.adjoints.exchange(std::move(outer));
  return result;
}

}  // namespace dagaz::passes::ad
