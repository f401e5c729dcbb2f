// What rules see of the simplifier, and what they do through it.
#include "passes/simplify/rules.h"

#include <algorithm>

#include "ir/type_of.h"
#include "passes/simplify/simplifier.h"

namespace dagaz::passes {

Names& Rules::names() const { return simplifier_.names_; }

const Statement* Rules::definition(const Operand& operand) const {
  return operand.is_name() ? simplifier_.definition(operand.name()) : nullptr;
}

int Rules::uses(NameId name) const {
  return name.index < simplifier_.uses_.size() ? simplifier_.uses_[name.index] : 1000;
}

bool Rules::may_be_consumed(NameId name) const { return simplifier_.may_be_consumed(name); }

bool Rules::may_stand_for(const Operand& operand, NameId name) const {
  if (operand.is_constant() || type(name).is_scalar()) return true;
  const NameId other = operand.name();
  if (simplifier_.aliases_.roots(other) == simplifier_.aliases_.roots(name)) return true;
  return !may_be_consumed(name) && !may_be_consumed(other) &&
         !(simplifier_.may_leave_function(name) && simplifier_.may_leave_function(other));
}

bool Rules::is_bound_outside_scopes(NameId name) const {
  return name.index < simplifier_.definitions_.size() &&
         simplifier_.definitions_[name.index].depth <= simplifier_.scope_->depth;
}

bool Rules::is_bound_in_a_map(NameId name) const {
  if (name.index >= simplifier_.definitions_.size()) return false;
  const auto& maps = simplifier_.map_scopes_;
  return std::any_of(maps.begin(), maps.end(), [&](const auto& one) {
    return one.depth == simplifier_.definitions_[name.index].depth;
  });
}

bool Rules::in_current_scope(NameId name) const {
  return name.index < simplifier_.definitions_.size() &&
         simplifier_.definitions_[name.index].scope == simplifier_.scope_;
}

bool Rules::is_to_be_differentiated() const { return simplifier_.differentiated_later_; }

bool Rules::is_known_nonnegative(const Operand& operand) const {
  return simplifier_.facts_.is_nonnegative(operand);
}
bool Rules::is_known_less(const Operand& a, const Operand& b) const {
  return simplifier_.facts_.is_less(a, b);
}
bool Rules::is_known_less_or_equal(const Operand& a, const Operand& b) const {
  return simplifier_.facts_.is_less_or_equal(a, b);
}

Operand Rules::scalar(ScalarOp op, ScalarType type, std::vector<Operand> arguments,
                      std::string_view base) {
  return emit(Scalar{op, type, result_type(op, type, type), std::move(arguments)}, base);
}

Operand Rules::convert(ScalarOp op, ScalarType from, ScalarType to, Operand value) {
  return emit(Scalar{op, from, to, {std::move(value)}}, "t");
}

Operand Rules::emit(Operation operation, std::string_view base) {
  return emit_results(std::move(operation), base).front();
}

std::vector<Operand> Rules::emit_results(Operation operation, std::string_view base) {
  Statement added{{}, std::move(operation), statement->tokens, statement->location};
  for (Type& type : types_of(added.operation, names())) {
    added.results.push_back({names().fresh(std::string(base), std::move(type))});
  }
  return process(std::move(added));
}

Operand Rules::emit_in_place_of(NameId name, Operation operation) {
  Statement added{{}, std::move(operation), statement->tokens, statement->location};
  const NameId result =
      names().fresh(names().base(name), types_of(added.operation, names()).front());
  added.results.push_back({result});
  if (may_be_consumed(name)) simplifier_.newly_consumed_.insert(result);
  if (simplifier_.may_leave_function(name)) simplifier_.newly_leaving_.insert(result);
  return process(std::move(added)).front();
}

NameId Rules::fresh_parameter(const std::string& base, Type type) {
  const NameId name = names().fresh(base, std::move(type));
  simplifier_.bind(name, simplifier_.scope_->depth + 1);
  return name;
}

std::vector<Operand> Rules::process(Statement added) {
  std::vector<Operand> results;
  for (const Binder& result : added.results) results.push_back(result.name);
  simplifier_.count_uses(added);
  record_aliases(added);
  // A total scalar operation needs no guard.
  if (std::holds_alternative<Scalar>(added.operation) && is_safe_anywhere(added.operation)) {
    added.tokens.clear();
  }
  simplifier_.process(std::move(added));
  for (Operand& result : results) simplifier_.use(result);
  return results;
}

void Rules::record_aliases(const Statement& added) {
  const NameId result = added.results.front().name;
  if (type(result).is_scalar()) return;
  const auto view = [&](NameId of) { simplifier_.aliases_.add_view(result, of); };
  match(
      added.operation, [&](const Index& e) { view(e.array); },
      [&](const Slice& e) { view(e.array); }, [&](const Reshape& e) { view(e.array); },
      [&](const Permute& e) { view(e.array); },
      [&](const Identity& e) { view(e.value.name()); },
      // Rules emit nothing else whose results share memory with others.
      [](const auto&) {});
}

std::vector<Operand> Rules::inline_body(Body body, const std::vector<NameId>& parameters,
                                        const std::vector<Operand>& arguments) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    Operand argument = arguments[i];
    simplifier_.replace(parameters[i], argument);
  }
  const std::vector<NameId> tokens = statement->tokens;
  for (Statement& inner : body.statements) {
    const bool is_total_scalar =
        std::holds_alternative<Scalar>(inner.operation) && is_safe_anywhere(inner.operation);
    if (!is_total_scalar) {
      inner.tokens.insert(inner.tokens.end(), tokens.begin(), tokens.end());
    }
    simplifier_.process(std::move(inner));
  }
  for (Operand& result : body.results) simplifier_.use(result);
  return std::move(body.results);
}

void Rules::assume_written(const Body& body) {
  for (const NameId name : bound_names(body)) {
    if (!type(name).is_scalar()) simplifier_.newly_consumed_.insert(name);
  }
}

void Rules::look_through(NameId name) {
  const Statement* source = definition(name);
  if (source == nullptr) return;
  statement->tokens.insert(statement->tokens.end(), source->tokens.begin(), source->tokens.end());
  std::sort(statement->tokens.begin(), statement->tokens.end());
  statement->tokens.erase(std::unique(statement->tokens.begin(), statement->tokens.end()),
                          statement->tokens.end());
}

Outcome Rules::replace(const std::vector<Operand>& operands) {
  DZ_CHECK(operands.size() == statement->results.size(), "an operand for each result");
  for (std::size_t i = 0; i < operands.size(); ++i) {
    replace_result(statement->results[i].name, operands[i]);
  }
  return Outcome::replaced;
}

void Rules::replace_result(NameId result, const Operand& operand) {
  const bool guarded =
      names().type(result).kind != TypeKind::value || is_guarded_like_statement(operand);
  replace_name(result, guarded ? operand : emit(Identity{operand}, names().base(result)));
}

bool Rules::is_guarded_like_statement(const Operand& operand) const {
  if (statement->tokens.empty()) return true;
  const Statement* source = operand.is_name() ? definition(operand) : nullptr;
  return source != nullptr &&
         std::includes(source->tokens.begin(), source->tokens.end(), statement->tokens.begin(),
                       statement->tokens.end());
}

void Rules::replace_name(NameId name, const Operand& operand) {
  if (operand.is_constant() && names().type(name).kind == TypeKind::token) {
    simplifier_.replace_token_by_nothing(name);
  } else {
    simplifier_.replace(name, operand);
  }
}

}  // namespace dagaz::passes
