// Moving invariant statements out of loops and lambdas.
//
// A statement moves outwards as long as everything it mentions is bound further out, it may run
// where the scope would not have run, its arrays exist there (existence.cpp), and nobody writes its
// result.
#include <algorithm>
#include <functional>

#include "ir/fields.h"
#include "passes/simplify/simplifier.h"

namespace dagaz::passes {

namespace {

/// Maps of so many scalar operations are computed again rather than kept.
constexpr std::size_t most_repeated_operations = 32;

bool is_computed_on_the_way(const Operation& operation) {
  const auto* map = std::get_if<MapScanReduce>(&operation);
  if (map == nullptr || !map->scans.empty() || !map->reductions.empty() || map->post) return false;
  const std::vector<Statement>& body = map->map.body.statements;
  return body.size() <= most_repeated_operations &&
         std::all_of(body.begin(), body.end(), [](const Statement& statement) {
           return std::holds_alternative<Scalar>(statement.operation);
         });
}

/// The deepest scope that any operand was bound in.
struct DeepestUse {
  const std::function<std::size_t(NameId)>& depth_of;
  std::size_t deepest = 0;
  void use(const NameId& name) { deepest = std::max(deepest, depth_of(name)); }
  void use(const Operand& operand) {
    if (operand.is_name()) use(operand.name());
  }
  void bind(const Binder&) {}
  void type(const Type& type) {
    for (const Operand& size : type.shape) use(size);
  }
  void body(const Body& body) { walk_body(*this, body); }
  void lambda(const Lambda& lambda) { walk_lambda(*this, lambda); }
};

}  // namespace

std::size_t Simplifier::depth_of(const Statement& statement) const {
  const std::size_t here = scope_->depth;
  const std::function<std::size_t(NameId)> depth = [&](NameId name) {
    // What is bound inside the statement's own scopes is deeper than here and no obstacle.
    const std::size_t found =
        name.index < definitions_.size() ? definitions_[name.index].depth : 0;
    return found > here ? 0 : found;
  };
  DeepestUse walk{depth};
  for (const NameId& token : statement.tokens) walk.use(token);
  walk_fields(walk, statement.operation);
  for (const Binder& result : statement.results) {
    for (const Operand& size : names_.type(result.name).shape) walk.use(size);
  }
  return walk.deepest;
}

// Whether the statement picks a part of an array at a constant place that the array surely has.
// A number stays where it is: on a GPU the host would have to ask for it.
static bool is_existing_part(const Statement& statement, const Names& names) {
  const auto* index = std::get_if<Index>(&statement.operation);
  if (index == nullptr || names.type(statement.results.front().name).is_scalar()) return false;
  const std::vector<Operand>& shape = names.type(index->array).shape;
  for (std::size_t k = 0; k < index->indices.size(); ++k) {
    const Operand& at = index->indices[k];
    if (!at.is_constant() || !shape[k].is_constant()) return false;
    const std::int64_t place = integer_value(at.constant());
    if (place < 0 || place >= integer_value(shape[k].constant())) return false;
  }
  return true;
}

// A row of which derivatives are made is one whose adjoint is added where it is read: once for all
// rows that it meets in a product, rather than for each.  Where there are none nothing reads it.
static bool is_row(const Statement& statement, const Names& names) {
  return std::holds_alternative<Index>(statement.operation) &&
         !names.type(statement.results.front().name).is_scalar();
}

bool Simplifier::is_mapped_over_rows(const Scope& scope) const {
  return std::any_of(map_scopes_.begin(), map_scopes_.end(), [&](const MapScope& one) {
    return one.depth == scope.depth && one.takes_rows;
  });
}

bool Simplifier::may_leave(const Statement& statement, const Scope& scope) {
  const auto* scalar = std::get_if<Scalar>(&statement.operation);
  const bool is_assert = std::holds_alternative<Assert>(statement.operation);
  switch (scope.runs) {
    case Runs::maybe:
      if (scalar == nullptr || !is_cheap(scalar->op)) return false;
      break;
    case Runs::once: break;
    case Runs::differentiated:
      if (is_computed_on_the_way(statement.operation)) return false;
      break;
    case Runs::per_iteration:
      if (is_assert && !scope.trip_count) return false;
      if (!is_assert && !is_safe_anywhere(statement.operation) &&
          !is_existing_part(statement, names_) &&
          !(differentiated_later_ && is_row(statement, names_) && is_mapped_over_rows(scope))) {
        return false;
      }
      if (!is_assert && !exists_outside(statement, scope)) return false;
      break;
  }
  // Each run needs its own copy of what it consumes.
  return std::none_of(statement.results.begin(), statement.results.end(), [&](const Binder& r) {
    return !names_.type(r.name).is_scalar() && may_be_consumed(r.name);
  });
}

Simplifier::Scope* Simplifier::target_of(const Statement& statement) {
  if (scope_->outer == nullptr || statement.results.empty()) return scope_;
  if (!aliases_.consumed_by(statement).empty() || prints(statement.operation)) return scope_;
  Scope* at = scope_;
  // A branch is left only together with something that runs often.
  Scope* target = scope_;
  std::optional<std::size_t> depth;
  while (at->outer != nullptr && may_leave(statement, *at)) {
    if (!depth) depth = depth_of(statement);
    if (*depth >= at->depth) break;
    // A hoisted assert asks for the trip count, which has to be known there.
    if (at->trip_count && at->trip_count->is_name() &&
        std::holds_alternative<Assert>(statement.operation)) {
      depth = std::max(*depth, definitions_[at->trip_count->name().index].depth);
    }
    const bool runs_once = at->runs == Runs::once || at->runs == Runs::differentiated;
    const bool accept = at->runs == Runs::per_iteration || (runs_once && at == target);
    at = at->outer;
    if (accept) target = at;
  }
  return target;
}

// An assert that leaves a scope which may run zero times then asks: zero times, or the condition?
void Simplifier::hoist_assert(Statement& statement, Scope* target) {
  auto& assertion = std::get<Assert>(statement.operation);
  Scope* const inner = scope_;
  for (Scope* left = inner; left != target; left = left->outer) {
    if (left->runs != Runs::per_iteration || is_asserted_by_result(statement, *left)) continue;
    // The trip count of a scope is known outside it; compute next to the assert's new place.
    scope_ = target;
    Rules rules(*this);
    rules.statement = &statement;
    const ScalarType type = names_.type(*left->trip_count).element;
    const Operand zero_times =
        rules.scalar(ScalarOp::sle, type, {*left->trip_count, zero_of(type)}, "empty");
    assertion.condition =
        rules.scalar(ScalarOp::bit_or, ScalarType::boolean, {assertion.condition, zero_times},
                     "holds");
  }
  scope_ = inner;
}

}  // namespace dagaz::passes
