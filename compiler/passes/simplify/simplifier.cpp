// The walk: substitution, definitions, scopes and hoisting.
#include "passes/simplify/simplifier.h"

#include <algorithm>

#include "ir/fields.h"
#include "ir/type_of.h"

namespace dagaz::passes {

namespace {

/// Counts uses of names in a whole scope.
struct UseCounter {
  std::vector<int>& uses;
  void use(const NameId& name) { ++uses[name.index]; }
  void use(const Operand& operand) {
    if (operand.is_name()) ++uses[operand.name().index];
  }
  void bind(const Binder&) {}
  void type(const Type&) {}
  void body(const Body& body) { walk_body(*this, body); }
  void lambda(const Lambda& lambda) { walk_lambda(*this, lambda); }
};

}  // namespace

/// Substitutes in a statement but not in its scopes.
struct Simplifier::ShallowSubstitution {
  const Simplifier& simplifier;
  std::vector<NameId>& tokens;
  void use(NameId& name) {
    simplifier.use(name);
    const auto guarded = simplifier.guarded_.find(name);
    if (guarded == simplifier.guarded_.end() || guarded->second.value.is_constant()) return;
    name = guarded->second.value.name();
    take_guard(guarded->second);
  }
  void use(Operand& operand) {
    simplifier.use(operand);
    if (!operand.is_name()) return;
    const auto guarded = simplifier.guarded_.find(operand.name());
    if (guarded == simplifier.guarded_.end()) return;
    operand = guarded->second.value;
    take_guard(guarded->second);
  }
  void take_guard(const Guarded& guarded) {
    tokens.insert(tokens.end(), guarded.tokens.begin(), guarded.tokens.end());
  }
  void bind(Binder&) {}
  void type(Type& type) {
    for (Operand& size : type.shape) simplifier.use_size(size);
  }
  void body(Body&) {}
  void lambda(Lambda&) {}
};

Simplifier::Simplifier(Program& program, const Function& function)
    : program_(program),
      names_(program.names),
      aliases_(analyse_aliases(function, program)),
      replaced_(program.names.size()),
      definitions_(program.names.size()),
      uses_(program.names.size()),
      facts_([this](NameId name) { return definition(name); }) {
  UseCounter counter{uses_};
  counter.body(function.body);
}

void Simplifier::run(Function& function) {
  Scope scope{nullptr, Runs::once, std::nullopt, 1};
  scope_ = &scope;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    bind(function.parameters[i].name, 0);
    // Whoever calls may still hold the argument.
    if (i >= function.consumes.size() || !function.consumes[i]) {
      newly_leaving_.insert(function.parameters[i].name);
    }
  }
  for (Statement& statement : function.body.statements) process(std::move(statement));
  for (Operand& result : function.body.results) use(result);
  for (Type& type : function.result_types) {
    for (Operand& size : type.shape) use_size(size);
  }
  function.body.statements = std::move(scope.statements);
  scope_ = nullptr;
}

// ---------------------------------------------------------------- substitution

void Simplifier::use(NameId& name) const {
  if (name.index >= replaced_.size()) return;
  const auto& replacement = replaced_[name.index];
  if (!replacement) return;
  DZ_CHECK(replacement->is_name(), "a constant cannot stand for " + names_.text(name));
  name = replacement->name();
}

void Simplifier::use(Operand& operand) const {
  if (!operand.is_name() || operand.name().index >= replaced_.size()) return;
  const auto& replacement = replaced_[operand.name().index];
  if (replacement) operand = *replacement;
}

void Simplifier::substitute_tokens(std::vector<NameId>& tokens) const {
  for (NameId& token : tokens) use(token);
  std::erase_if(tokens, [this](NameId token) { return void_tokens_.contains(token); });
  std::sort(tokens.begin(), tokens.end());
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
}

void Simplifier::substitute_shallow(Statement& statement) const {
  ShallowSubstitution visitor{*this, statement.tokens};
  walk_fields(visitor, statement.operation);
  substitute_tokens(statement.tokens);
}

// A size is a number wherever it is evaluated: what guards it does not matter to a type.
void Simplifier::use_size(Operand& size) const {
  use(size);
  if (!size.is_name()) return;
  const auto guarded = guarded_.find(size.name());
  if (guarded != guarded_.end()) size = guarded->second.value;
}

void Simplifier::substitute_type(NameId name) {
  Type type = names_.type(name);
  bool differs = false;
  for (Operand& size : type.shape) {
    const Operand old = size;
    use_size(size);
    differs = differs || !(old == size);
  }
  if (differs) names_.set_type(name, std::move(type));
}

void Simplifier::replace(NameId name, const Operand& operand) {
  changed_ = true;
  if (name.index >= replaced_.size()) replaced_.resize(names_.size());
  replaced_[name.index] = operand;
  if (!operand.is_name()) return;
  const NameId other = operand.name();
  if (uses_.size() < names_.size()) uses_.resize(names_.size());
  uses_[other.index] += uses_[name.index];
  if (names_.type(name).is_scalar()) return;
  for (const NameId root : aliases_.roots(other)) {
    if (may_be_consumed(name)) newly_consumed_.insert(root);
    if (may_leave_function(name)) newly_leaving_.insert(root);
  }
}

bool Simplifier::may_be_consumed(NameId name) const {
  if (aliases_.is_consumed(name)) return true;
  if (newly_consumed_.empty()) return false;
  const std::vector<NameId> roots = aliases_.roots(name);
  return std::any_of(roots.begin(), roots.end(),
                     [this](NameId root) { return newly_consumed_.contains(root); });
}

bool Simplifier::may_leave_function(NameId name) const {
  if (aliases_.leaves_function(name)) return true;
  const std::vector<NameId> roots = aliases_.roots(name);
  return std::any_of(roots.begin(), roots.end(),
                     [this](NameId root) { return newly_leaving_.contains(root); });
}

void Simplifier::replace_token_by_nothing(NameId token) {
  changed_ = true;
  void_tokens_.insert(token);
}

// ---------------------------------------------------------------- statements

void Simplifier::bind(NameId name, std::size_t depth) {
  if (definitions_.size() < names_.size()) definitions_.resize(names_.size());
  definitions_[name.index].depth = depth;
  substitute_type(name);
  for (const Operand& size : names_.type(name).shape) {
    if (size.is_name()) facts_.set_nonnegative(size.name());
  }
}

const Statement* Simplifier::definition(NameId name) const {
  if (name.index >= definitions_.size()) return nullptr;
  const Definition& found = definitions_[name.index];
  return found.scope == nullptr ? nullptr : &found.scope->statements[found.position];
}

void Simplifier::count_uses(const Statement& statement) {
  if (uses_.size() < names_.size()) uses_.resize(names_.size());
  UseCounter counter{uses_};
  walk_statement(counter, statement);
}

void Simplifier::process(Statement statement) {
  substitute_shallow(statement);
  add(std::move(statement));
}

Outcome Simplifier::apply_rules(Statement& statement, bool before_scopes) {
  Rules rules(*this);
  rules.statement = &statement;
  return std::visit(
      [&](auto& node) {
        if (before_scopes) {
          if constexpr (requires { passes::apply_before(node, rules); }) {
            return passes::apply_before(node, rules);
          }
          return Outcome::none;
        } else {
          if constexpr (requires { passes::apply(node, rules); }) {
            return passes::apply(node, rules);
          }
          return Outcome::none;
        }
      },
      statement.operation);
}

void Simplifier::add(Statement statement) {
  // Rules terminate; the bound turns a mistake in one into lost optimisation.
  for (int step = 0; step < 50; ++step) {
    const Outcome outcome = apply_rules(statement, true);
    if (outcome == Outcome::replaced) return;
    if (outcome == Outcome::none) break;
    changed_ = true;
  }
  simplify_scopes(statement);
  for (int step = 0; step < 50; ++step) {
    const Outcome outcome = apply_rules(statement, false);
    if (outcome == Outcome::replaced) return;
    if (outcome == Outcome::none) break;
    changed_ = true;
  }
  place(std::move(statement));
}

void Simplifier::place(Statement statement) {
  Scope* target = target_of(statement);
  if (target != scope_) {
    changed_ = true;
    if (std::holds_alternative<Assert>(statement.operation)) hoist_assert(statement, target);
  }
  if (const auto* identity = std::get_if<Identity>(&statement.operation)) {
    guarded_[statement.results.front().name] = {identity->value, statement.tokens};
  }
  if (definitions_.size() < names_.size()) definitions_.resize(names_.size());
  for (const Binder& result : statement.results) {
    definitions_[result.name.index] = {target, target->statements.size(), target->depth};
    bind(result.name, target->depth);
  }
  target->statements.push_back(std::move(statement));
}

// ---------------------------------------------------------------- scopes

void Simplifier::simplify_body(Body& body, Runs runs, std::optional<Operand> trip_count) {
  Scope scope{scope_, runs, std::move(trip_count), scope_->depth + 1};
  scope_ = &scope;
  std::vector<Statement> old = std::exchange(body.statements, {});
  scope.statements.reserve(old.size());
  for (Statement& statement : old) process(std::move(statement));
  for (Operand& result : body.results) use(result);
  body.statements = std::move(scope.statements);
  // What was bound here is out of scope, and the scope goes away.
  for (const Statement& statement : body.statements) {
    for (const Binder& result : statement.results) definitions_[result.name.index].scope = nullptr;
  }
  scope_ = scope.outer;
}

void Simplifier::simplify_lambda(Lambda& lambda, Runs runs, std::optional<Operand> trip_count) {
  for (const Binder& parameter : lambda.parameters) bind(parameter.name, scope_->depth + 1);
  for (Type& type : lambda.result_types) {
    for (Operand& size : type.shape) use_size(size);
  }
  simplify_body(lambda.body, runs, std::move(trip_count));
}

void Simplifier::enter_lambda_over(const Operand& width, const std::vector<NameId>& arrays,
                                   Lambda& map) {
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const Statement* source = definition(arrays[i]);
    const Iota* iota = source == nullptr ? nullptr : as<Iota>(source->operation);
    if (iota == nullptr || iota->type != ScalarType::i64) continue;
    if (iota->start == i64_operand(0) && iota->stride == i64_operand(1)) {
      facts_.set_index(map.parameters[i].name, width);
    }
  }
  simplify_lambda(map, Runs::per_iteration, width);
}

void Simplifier::simplify_scopes(Statement& statement) {
  const auto over_width = [&](auto& node) {
    enter_lambda_over(node.width, node.arrays, node.map);
  };
  match(
      statement.operation,
      [&](Branch& node) {
        // Inside a branch its condition is known.
        const std::optional<NameId> condition =
            node.condition.is_name() ? std::optional(node.condition.name()) : std::nullopt;
        if (condition && replaced_.size() <= condition->index) replaced_.resize(names_.size());
        if (condition) replaced_[condition->index] = Operand(make_bool(true));
        std::size_t mark = facts_.assume(node.condition, true);
        simplify_body(node.then_body, Runs::maybe, std::nullopt);
        facts_.forget(mark);
        if (condition) replaced_[condition->index] = Operand(make_bool(false));
        mark = facts_.assume(node.condition, false);
        simplify_body(node.else_body, Runs::maybe, std::nullopt);
        facts_.forget(mark);
        if (condition) replaced_[condition->index] = std::nullopt;
      },
      [&](Loop& node) {
        for (const LoopValue& value : node.values) {
          bind(value.parameter.name, scope_->depth + 1);
        }
        if (const auto* form = std::get_if<ForForm>(&node.form)) {
          bind(form->index.name, scope_->depth + 1);
          if (names_.type(form->bound).element == ScalarType::i64) {
            facts_.set_index(form->index.name, form->bound);
          }
          simplify_body(node.body, Runs::per_iteration, form->bound);
        } else {
          simplify_body(node.body, Runs::per_iteration, std::nullopt);
        }
      },
      [&](MapScanReduce& node) {
        over_width(node);
        for (ScanOperator& scan : node.scans) {
          simplify_lambda(scan.op, Runs::per_iteration, node.width);
        }
        for (ReduceOperator& reduction : node.reductions) {
          simplify_lambda(reduction.op, Runs::per_iteration, node.width);
        }
        if (node.post) simplify_lambda(*node.post, Runs::per_iteration, node.width);
      },
      [&](Histogram& node) {
        over_width(node);
        for (HistogramOperator& one : node.operators) {
          simplify_lambda(one.op, Runs::per_iteration, node.width);
        }
      },
      [&](Scatter& node) { over_width(node); }, [&](FlatMap& node) { over_width(node); },
      [&](WithAccumulator& node) {
        for (AccumulatorInput& input : node.inputs) {
          if (input.op) simplify_lambda(*input.op, Runs::maybe, std::nullopt);
        }
        simplify_lambda(node.body, Runs::once, std::nullopt);
      },
      [&](Differentiate& node) { simplify_lambda(node.function, Runs::once, std::nullopt); },
      [&](CustomDerivative& node) {
        simplify_lambda(node.function, Runs::once, std::nullopt);
        simplify_lambda(node.adjoint, Runs::maybe, std::nullopt);
      },
      // The other operations of stage parallel have no scopes.
      [](auto&) {});
}

// ---------------------------------------------------------------- hoisting

namespace {

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

bool Simplifier::may_leave(const Statement& statement, const Scope& scope) const {
  switch (scope.runs) {
    case Runs::maybe: return false;
    case Runs::once: return true;
    case Runs::per_iteration: break;
  }
  if (std::holds_alternative<Assert>(statement.operation)) return scope.trip_count.has_value();
  if (!is_safe_anywhere(statement.operation)) return false;
  // Each iteration needs its own copy of what it consumes.
  return std::none_of(statement.results.begin(), statement.results.end(), [&](const Binder& r) {
    return !names_.type(r.name).is_scalar() && may_be_consumed(r.name);
  });
}

Simplifier::Scope* Simplifier::target_of(const Statement& statement) const {
  if (scope_->outer == nullptr || scope_->runs == Runs::maybe) return scope_;
  if (!aliases_.consumed_by(statement).empty() || statement.results.empty()) return scope_;
  Scope* target = scope_;
  std::optional<std::size_t> depth;
  while (target->outer != nullptr && may_leave(statement, *target)) {
    if (!depth) depth = depth_of(statement);
    if (*depth >= target->depth) break;
    // A hoisted assert asks for the trip count, which has to be known there.
    if (target->trip_count && target->trip_count->is_name() &&
        std::holds_alternative<Assert>(statement.operation)) {
      depth = std::max(*depth, definitions_[target->trip_count->name().index].depth);
    }
    target = target->outer;
  }
  return target;
}

// An assert that leaves a scope which may run zero times then asks: zero times, or the condition?
void Simplifier::hoist_assert(Statement& statement, Scope* target) {
  auto& assertion = std::get<Assert>(statement.operation);
  Scope* const inner = scope_;
  for (Scope* left = inner; left != target; left = left->outer) {
    if (left->runs != Runs::per_iteration) continue;
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

// ---------------------------------------------------------------- what rules see

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

bool Rules::in_current_scope(NameId name) const {
  return name.index < simplifier_.definitions_.size() &&
         simplifier_.definitions_[name.index].scope == simplifier_.scope_;
}

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
  std::vector<Operand> results;
  for (Type& type : types_of(added.operation, names())) {
    const NameId name = names().fresh(std::string(base), std::move(type));
    added.results.push_back({name});
    results.push_back(name);
  }
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
    const NameId result = statement->results[i].name;
    const bool guarded =
        names().type(result).kind != TypeKind::value || is_guarded_like_statement(operands[i]);
    replace_name(result, guarded ? operands[i] : emit(Identity{operands[i]}, names().base(result)));
  }
  return Outcome::replaced;
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
