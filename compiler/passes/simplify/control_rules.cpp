// Equations of branches and loops.
#include <algorithm>

#include "ir/names.h"
#include "passes/simplify/rules.h"
#include "passes/simplify/simplifier.h"

namespace dagaz::passes {

namespace {

/// Scalar statements that both sides of a branch may evaluate rather than jump.
constexpr std::size_t most_selected_statements = 4;

bool is_selectable(const Body& body) {
  return body.statements.size() <= most_selected_statements &&
         std::all_of(body.statements.begin(), body.statements.end(), [](const Statement& s) {
           const auto* scalar = as<Scalar>(s.operation);
           return scalar != nullptr && is_cheap(scalar->op);
         });
}

// A branch over cheap scalars is both sides and selections.
Outcome branch_as_selection(Branch& node, Rules& rules) {
  if (!is_selectable(node.then_body) || !is_selectable(node.else_body)) return Outcome::none;
  for (std::size_t i = 0; i < node.result_types.size(); ++i) {
    const bool same = node.then_body.results[i] == node.else_body.results[i];
    if (!same && !node.result_types[i].is_scalar()) return Outcome::none;
  }
  const std::vector<Operand> yes = rules.inline_body(std::move(node.then_body), {}, {});
  const std::vector<Operand> no = rules.inline_body(std::move(node.else_body), {}, {});
  std::vector<Operand> results;
  for (std::size_t i = 0; i < yes.size(); ++i) {
    results.push_back(yes[i] == no[i] ? yes[i]
                                      : rules.scalar(ScalarOp::select,
                                                     node.result_types[i].element,
                                                     {node.condition, yes[i], no[i]}));
  }
  return rules.replace(results);
}

// if not c then a else b  =  if c then b else a
Outcome negated_condition(Branch& node, Rules& rules) {
  const auto* negation = rules.defined_as<Scalar>(node.condition);
  if (negation == nullptr || negation->op != ScalarOp::bit_not) return Outcome::none;
  node.condition = Operand(negation->arguments[0]);
  std::swap(node.then_body, node.else_body);
  return Outcome::rewritten;
}

void erase_result(Branch& node, Rules& rules, std::size_t i) {
  const auto at = static_cast<std::ptrdiff_t>(i);
  node.then_body.results.erase(node.then_body.results.begin() + at);
  node.else_body.results.erase(node.else_body.results.begin() + at);
  node.result_types.erase(node.result_types.begin() + at);
  rules.statement->results.erase(rules.statement->results.begin() + at);
}

/// Whether `operand` means the same outside the scope that it is a result of.
bool is_bound_in(const Body& body, const Operand& operand) {
  if (!operand.is_name()) return false;
  for (const Statement& statement : body.statements) {
    for (const Binder& result : statement.results) {
      if (result.name == operand.name()) return true;
    }
  }
  return false;
}

// A result that both sides agree on is that operand.
Outcome common_results(Branch& node, Rules& rules) {
  for (std::size_t i = 0; i < node.result_types.size(); ++i) {
    const Operand result = node.then_body.results[i];
    if (!(result == node.else_body.results[i]) || is_bound_in(node.then_body, result)) continue;
    rules.replace_result(rules.statement->results[i].name, result);
    erase_result(node, rules, i);
    return Outcome::rewritten;
  }
  return Outcome::none;
}

// A result that is true on one side and false on the other is the condition, or its negation.
Outcome condition_as_result(Branch& node, Rules& rules) {
  for (std::size_t i = 0; i < node.result_types.size(); ++i) {
    const Operand yes = node.then_body.results[i];
    const Operand no = node.else_body.results[i];
    const bool same = is_constant_bool(yes, true) && is_constant_bool(no, false);
    const bool opposite = is_constant_bool(yes, false) && is_constant_bool(no, true);
    if (!same && !opposite) continue;
    const NameId name = rules.statement->results[i].name;
    rules.replace_result(name, same ? node.condition
                                    : rules.scalar(ScalarOp::bit_not, ScalarType::boolean,
                                                   {node.condition}, "opposite"));
    erase_result(node, rules, i);
    return Outcome::rewritten;
  }
  return Outcome::none;
}

/// Whether a loop value may be replaced by its initial value: the memory is never written.
bool may_be_initial(const LoopValue& value, NameId result, const Rules& rules) {
  return rules.may_stand_for(value.initial, value.parameter.name) &&
         rules.may_stand_for(value.initial, result);
}

bool is_condition(const Loop& loop, NameId name) {
  const auto* form = as<WhileForm>(loop.form);
  return form != nullptr && form->condition == name;
}

// Loop values that never change are their initial values.
Outcome invariant_values(Loop& node, Rules& rules) {
  Substitution with;
  for (std::size_t i = node.values.size(); i-- > 0;) {
    const LoopValue value = node.values[i];
    const Operand& next = node.body.results[i];
    if (!(next == Operand(value.parameter.name)) && !(next == value.initial)) continue;
    const NameId result = rules.statement->results[i].name;
    if (is_condition(node, value.parameter.name) || !may_be_initial(value, result, rules)) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    with.emplace(value.parameter.name, value.initial);
    rules.replace_name(value.parameter.name, value.initial);
    rules.replace_result(result, value.initial);
    node.values.erase(node.values.begin() + at);
    node.body.results.erase(node.body.results.begin() + at);
    rules.statement->results.erase(rules.statement->results.begin() + at);
    auto& dependence = node.attributes.true_dependence;
    if (!dependence.empty()) dependence.erase(dependence.begin() + at);
  }
  if (with.empty()) return Outcome::none;
  for (const LoopValue& value : node.values) {
    const NameId name = value.parameter.name;
    rules.names().set_type(name, substitute(rules.type(name), with));
  }
  substitute(node.body, with, rules.names());
  return Outcome::rewritten;
}

// A loop over nothing gives its initial values.
Outcome zero_iterations(Loop& node, Rules& rules) {
  std::vector<Operand> initial;
  for (std::size_t i = 0; i < node.values.size(); ++i) initial.push_back(node.values[i].initial);
  return rules.replace(initial);
}

// A loop that runs once is its body.
Outcome one_iteration(Loop& node, Rules& rules) {
  const auto& form = std::get<ForForm>(node.form);
  std::vector<NameId> parameters{form.index.name};
  std::vector<Operand> arguments{Operand(zero_of(form.bound.constant().type))};
  for (const LoopValue& value : node.values) {
    parameters.push_back(value.parameter.name);
    arguments.push_back(value.initial);
  }
  return rules.replace(rules.inline_body(std::move(node.body), parameters, arguments));
}

/// How many statements an unrolled loop may have.
constexpr std::int64_t most_unrolled_statements = 4096;

// #[unroll]: a loop of known length is its body so many times.
Outcome unrolled(Loop& node, Rules& rules) {
  const auto& form = std::get<ForForm>(node.form);
  const Constant bound = form.bound.constant();
  const std::int64_t count = integer_value(bound);
  const auto size = static_cast<std::int64_t>(node.body.statements.size());
  if (!node.attributes.unroll || count > most_unrolled_statements / (size + 1)) {
    return Outcome::none;
  }
  std::vector<Operand> values;
  for (const LoopValue& value : node.values) values.push_back(value.initial);
  for (std::int64_t i = 0; i < count; ++i) {
    Body body = renamed(node.body, rules.names());
    Substitution with;
    with.emplace(form.index.name, Operand(make_integer(bound.type, i)));
    for (std::size_t k = 0; k < values.size(); ++k) {
      with.emplace(node.values[k].parameter.name, values[k]);
    }
    substitute(body, with, rules.names());
    rules.assume_written(body);
    values = rules.inline_body(std::move(body), {}, {});
  }
  return rules.replace(values);
}

}  // namespace

// A branch with a known condition is the side taken.
Outcome apply_before(Branch& node, Rules& rules) {
  if (!node.condition.is_constant()) return Outcome::none;
  Body taken = node.condition.constant().bits != 0 ? std::move(node.then_body)
                                                   : std::move(node.else_body);
  return rules.replace(rules.inline_body(std::move(taken), {}, {}));
}

Outcome apply(Branch& node, Rules& rules) {
  if (node.result_types.empty()) return rules.replace(std::vector<Operand>{});
  for (const auto rule : {negated_condition, branch_as_selection, common_results,
                          condition_as_result}) {
    if (const Outcome outcome = rule(node, rules); outcome != Outcome::none) return outcome;
  }
  return Outcome::none;
}

Outcome apply_before(Loop& node, Rules& rules) {
  if (const auto* form = as<ForForm>(node.form)) {
    if (!form->bound.is_constant()) return Outcome::none;
    const std::int64_t bound = integer_value(form->bound.constant());
    if (bound <= 0) return zero_iterations(node, rules);
    if (bound == 1) return one_iteration(node, rules);
    return unrolled(node, rules);
  }
  const NameId condition = std::get<WhileForm>(node.form).condition;
  for (const LoopValue& value : node.values) {
    if (value.parameter.name == condition && is_constant_bool(value.initial, false)) {
      return zero_iterations(node, rules);
    }
  }
  return Outcome::none;
}

Outcome apply(Loop& node, Rules& rules) {
  if (node.values.empty()) return rules.replace(std::vector<Operand>{});
  const Outcome outcome = invariant_values(node, rules);
  return outcome == Outcome::none ? loop_as_map(node, rules) : outcome;
}

}  // namespace dagaz::passes
