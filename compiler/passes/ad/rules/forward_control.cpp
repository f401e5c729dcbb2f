// Branches, loops and calls give the tangents of their results beside the values:  what was carried
// or handed over, xs, becomes (xs, ẋs).
#include <utility>

#include "passes/ad/rules/forward_rules.h"

namespace dagaz::passes::ad {

using namespace ir;

void tangent_rule(Forward& f, const Statement& statement, const Branch& branch) {
  const Slots extra = f.tangents.slots(statement.results);
  Branch result{f.environment.operand(branch.condition),
                dual_body(f, branch.then_body, extra),
                dual_body(f, branch.else_body, extra),
                {}};
  std::vector<Binder> results = f.environment.bind_fresh(statement.results);
  const std::vector<Binder> tangent_results = f.tangents.bind_fresh(statement.results, extra);
  results.insert(results.end(), tangent_results.begin(), tangent_results.end());
  result.result_types = types_of_binders(results, f.environment.names());
  f.environment.emit_bound(statement, std::move(result), results);
}

void tangent_rule(Forward& f, const Statement& statement, const Loop& loop) {
  std::vector<Binder> parameters;
  std::vector<Operand> initials;
  for (const LoopValue& value : loop.values) {
    parameters.push_back(value.parameter);
    initials.push_back(value.initial);
  }
  const Slots extra = f.tangents.slots(parameters);
  Loop result;
  result.attributes = loop.attributes;
  if (result.attributes.bound) {
    result.attributes.bound = f.environment.operand(*result.attributes.bound);
  }
  const std::vector<Operand> tangent_initials = f.tangents.in_slots(initials, extra);
  const std::vector<Operand> primal_initials = f.environment.operands(initials);
  const std::vector<Binder> fresh = f.environment.bind_fresh(parameters);
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    result.values.push_back(LoopValue{fresh[i], primal_initials[i]});
  }
  const std::vector<Binder> fresh_tangents = f.tangents.bind_fresh(parameters, extra);
  for (std::size_t i = 0; i < extra.size(); ++i) {
    result.values.push_back(LoopValue{fresh_tangents[i], tangent_initials[i]});
    if (!loop.attributes.true_dependence.empty()) {
      const bool flag = loop.attributes.true_dependence[extra[i].index];
      result.attributes.true_dependence.push_back(flag);
    }
  }
  if (const auto* form = as<ForForm>(loop.form)) {
    const Operand bound = f.environment.operand(form->bound);
    result.form = ForForm{Binder{f.environment.bind_fresh(form->index.name)}, bound};
  } else {
    result.form = WhileForm{f.environment.name(std::get<WhileForm>(loop.form).condition)};
  }
  result.body = dual_body(f, loop.body, extra);
  std::vector<Binder> results = f.environment.bind_fresh(statement.results);
  const std::vector<Binder> tangent_results = f.tangents.bind_fresh(statement.results, extra);
  results.insert(results.end(), tangent_results.begin(), tangent_results.end());
  f.environment.emit_bound(statement, std::move(result), results);
}

void tangent_rule(Forward& f, const Statement& statement, const Call& call) {
  const Directions active = f.tangents.dependence().of(call.arguments);
  if (active == 0) {
    f.environment.copy_statement(statement);
    return;
  }
  std::vector<int> along;
  for (int j = 0; j < f.tangents.directions(); ++j) {
    if ((active >> j & 1) != 0) along.push_back(j);
  }
  // One call for all directions: it may consume its arguments.
  Call both{
      f.environment.functions().forward_version(call.function, static_cast<int>(along.size())),
      f.environment.operands(call.arguments),
      {}};
  for (const Operand& argument : call.arguments) {
    if (!carries_derivative(f.environment.names().type(argument))) continue;
    for (const int j : along) both.arguments.push_back(f.tangents.or_zero(argument, j));
  }
  Slots result_slots;
  for (std::size_t i = 0; i < statement.results.size(); ++i) {
    if (!carries_derivative(f.environment.names().type(statement.results[i].name))) continue;
    for (const int j : along) result_slots.push_back(Slot{i, j});
  }
  const std::vector<Binder> results = f.tangents.dual_binders(statement.results, result_slots);
  both.result_types = types_of_binders(results, f.environment.names());
  f.environment.emit_bound(statement, std::move(both), results);
}

}  // namespace dagaz::passes::ad
