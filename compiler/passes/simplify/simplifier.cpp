// The walk: substitution, definitions, scopes and hoisting.
#include "passes/simplify/simplifier.h"

#include <algorithm>

#include "ir/fields.h"
#include "ir/traces.h"
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

Simplifier::Simplifier(Program& program, const Function& function, bool differentiated_later)
    : program_(program),
      names_(program.names),
      aliases_(analyse_aliases(function, program)),
      replaced_(program.names.size()),
      definitions_(program.names.size()),
      uses_(program.names.size()),
      facts_([this](NameId name) { return definition(name); }),
      has_traces_(has_trace(program)),
      differentiated_later_(differentiated_later) {
  UseCounter counter{uses_};
  counter.body(function.body);
}

void Simplifier::run(Function& function) {
  Scope scope{{Runs::once}, nullptr, 1};
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
  table_.clear();
  scope_ = nullptr;
}

// ---------------------------------------------------------------- substitution

// What stands for a name may have been replaced since.
void Simplifier::use(NameId& name) const {
  Operand operand = name;
  use(operand);
  DZ_CHECK(operand.is_name(), "a constant cannot stand for " + names_.text(name));
  name = operand.name();
}

void Simplifier::use(Operand& operand) const {
  while (operand.is_name() && operand.name().index < replaced_.size()) {
    const auto& replacement = replaced_[operand.name().index];
    if (!replacement) return;
    operand = *replacement;
  }
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
    if (size.is_name()) facts_.set_size(size.name());
  }
}

const Statement* Simplifier::definition(NameId name) const {
  if (name.index >= definitions_.size()) return nullptr;
  const Definition& found = definitions_[name.index];
  if (found.scope == nullptr) return nullptr;
  const Statement& statement = found.scope->statements[found.position];
  return prints(statement.operation) ? nullptr : &statement;
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

// Where the program has no traces, nothing is looked into.
bool Simplifier::prints(const Operation& operation) const {
  return has_traces_ && has_trace(operation);
}

Outcome Simplifier::apply_rules(Statement& statement, bool before_scopes) {
  // Rules leave out evaluations, or make them twice.
  if (prints(statement.operation)) return Outcome::none;
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
  enclosing_tokens_.insert(enclosing_tokens_.end(), statement.tokens.begin(),
                           statement.tokens.end());
  const auto* const outer_results = std::exchange(enclosing_results_, &statement.results);
  simplify_scopes(statement);
  enclosing_results_ = outer_results;
  enclosing_tokens_.resize(enclosing_tokens_.size() - statement.tokens.size());
  for (int step = 0; step < 50; ++step) {
    const Outcome outcome = apply_rules(statement, false);
    if (outcome == Outcome::replaced) return;
    if (outcome == Outcome::none) break;
    changed_ = true;
  }
  if (!share(statement)) place(std::move(statement));
}

// What is equal to a statement in scope is that statement's result.
bool Simplifier::share(const Statement& statement) {
  if (!is_shareable(statement)) return false;
  const auto [first, last] = table_.equal_range(hash_of(statement.operation, names_));
  for (auto at = first; at != last; ++at) {
    const Statement& known = at->second.scope->statements[at->second.position];
    if (known.results.size() != statement.results.size()) continue;
    Rules rules(*this);
    Statement copy = {statement.results, Identity{}, statement.tokens, statement.location};
    rules.statement = &copy;
    std::vector<Operand> results;
    bool may_share = true;
    for (std::size_t i = 0; i < known.results.size() && may_share; ++i) {
      results.push_back(known.results[i].name);
      may_share = rules.may_stand_for(results[i], statement.results[i].name);
    }
    if (!may_share || !equivalent(known.operation, statement.operation, names_)) continue;
    rules.replace(results);
    return true;
  }
  return false;
}

bool Simplifier::is_shareable(const Statement& statement) const {
  if (statement.results.empty() || statement.mode != ModeRequest::none) return false;
  return match(
      statement.operation, [](const Identity&) { return false; },
      [](const Scratch&) { return false; }, [](const Update&) { return false; },
      [](const Scatter&) { return false; }, [](const Histogram&) { return false; },
      [](const WithAccumulator&) { return false; }, [](const Accumulate&) { return false; },
      [](const Call&) { return false; },
      // Every other operation is a function of its operands, unless it prints.
      [&](const auto&) { return !prints(statement.operation); });
}

void Simplifier::place(Statement statement) {
  // What guards the statement around it guards it too; only what may fail must not move away.
  if (!enclosing_tokens_.empty() && is_safe_anywhere(statement.operation)) {
    std::erase_if(statement.tokens, [this](NameId token) {
      return std::find(enclosing_tokens_.begin(), enclosing_tokens_.end(), token) !=
             enclosing_tokens_.end();
    });
  }
  const bool is_assert = std::holds_alternative<Assert>(statement.operation);
  Scope* const inner = scope_;
  if (is_assert) {
    if (Scope* const outside = move_check_outside(statement)) scope_ = outside;
  }
  Scope* target = target_of(statement);
  if (is_assert && target != scope_) hoist_assert(statement, target);
  scope_ = inner;
  if (target != scope_) changed_ = true;
  if (is_assert) {
    for (const NameId count : asserted_counts(statement)) target->counts.insert(count);
  }
  if (const auto* identity = std::get_if<Identity>(&statement.operation)) {
    guarded_[statement.results.front().name] = {identity->value, statement.tokens};
  }
  put(std::move(statement), target);
}

void Simplifier::put(Statement statement, Scope* target) {
  if (definitions_.size() < names_.size()) definitions_.resize(names_.size());
  for (const Binder& result : statement.results) {
    definitions_[result.name.index] = {target, target->statements.size(), target->depth};
    bind(result.name, target->depth);
  }
  if (is_shareable(statement)) {
    target->shared.push_back(
        table_.emplace(hash_of(statement.operation, names_),
                       Place{target, target->statements.size()}));
  }
  target->statements.push_back(std::move(statement));
}

// ---------------------------------------------------------------- scopes

void Simplifier::simplify_body(Body& body, Entry entry) {
  const std::size_t mark = facts_.mark();
  Scope scope{std::move(entry), scope_, scope_->depth + 1, enclosing_results_, mark};
  scope_ = &scope;
  std::vector<Statement> old = std::exchange(body.statements, {});
  scope.statements.reserve(old.size());
  for (Statement& statement : old) process(std::move(statement));
  for (Operand& result : body.results) use(result);
  body.statements = std::move(scope.statements);
  // What was bound here is out of scope, and the scope goes away.
  for (const auto& shared : scope.shared) table_.erase(shared);
  for (const Statement& statement : body.statements) {
    for (const Binder& result : statement.results) definitions_[result.name.index].scope = nullptr;
  }
  facts_.forget(mark);
  scope_ = scope.outer;
}

void Simplifier::simplify_lambda(Lambda& lambda, Entry entry) {
  for (const Binder& parameter : lambda.parameters) bind(parameter.name, scope_->depth + 1);
  for (Type& type : lambda.result_types) {
    for (Operand& size : type.shape) use_size(size);
  }
  simplify_body(lambda.body, std::move(entry));
}

void Simplifier::enter_lambda_over(const Operand& width, const std::vector<NameId>& arrays,
                                   Lambda& map) {
  Entry entry{Runs::per_iteration, width};
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const Statement* source = definition(arrays[i]);
    const Iota* iota = source == nullptr ? nullptr : as<Iota>(source->operation);
    if (iota == nullptr || iota->type != ScalarType::i64) continue;
    if (iota->start == i64_operand(0) && iota->stride == i64_operand(1)) {
      facts_.set_index(map.parameters[i].name, width);
      entry.indices.push_back(map.parameters[i].name);
    }
  }
  const bool takes_rows = std::any_of(arrays.begin(), arrays.end(), [&](NameId array) {
    const Type& type = names_.type(array);
    return type.kind == TypeKind::value && type.rank() > 1;
  });
  map_scopes_.push_back({scope_->depth + 1, takes_rows});
  simplify_lambda(map, std::move(entry));
  map_scopes_.pop_back();
}

// Inside a branch its condition is known, and what follows from it.
void Simplifier::simplify_sides(Branch& node) {
  const auto side = [&](Body& body, bool holds) {
    if (node.condition.is_name()) {
      const NameId condition = node.condition.name();
      if (replaced_.size() <= condition.index) replaced_.resize(names_.size());
      replaced_[condition.index] = Operand(make_bool(holds));
    }
    const std::size_t mark = facts_.mark();
    facts_.assume(node.condition, holds);
    simplify_body(body, {Runs::maybe, {}, {}, Condition{node.condition, holds}});
    facts_.forget(mark);
    if (node.condition.is_name()) replaced_[node.condition.name().index] = std::nullopt;
  };
  side(node.then_body, true);
  side(node.else_body, false);
}

void Simplifier::simplify_scopes(Statement& statement) {
  const auto over_width = [&](auto& node) {
    enter_lambda_over(node.width, node.arrays, node.map);
  };
  match(
      statement.operation,
      [&](Branch& node) { simplify_sides(node); },
      [&](Loop& node) {
        for (const LoopValue& value : node.values) {
          bind(value.parameter.name, scope_->depth + 1);
        }
        Entry entry{Runs::per_iteration};
        if (const auto* form = std::get_if<ForForm>(&node.form)) {
          bind(form->index.name, scope_->depth + 1);
          entry.trip_count = form->bound;
          if (names_.type(form->bound).element == ScalarType::i64) {
            facts_.set_index(form->index.name, form->bound);
            entry.indices.push_back(form->index.name);
          }
        }
        simplify_body(node.body, std::move(entry));
      },
      [&](MapScanReduce& node) {
        over_width(node);
        for (ScanOperator& scan : node.scans) {
          simplify_lambda(scan.op, {Runs::per_iteration, node.width});
        }
        for (ReduceOperator& reduction : node.reductions) {
          simplify_lambda(reduction.op, {Runs::per_iteration, node.width});
        }
        if (node.post) simplify_lambda(*node.post, {Runs::per_iteration, node.width});
      },
      [&](Histogram& node) {
        over_width(node);
        for (HistogramOperator& one : node.operators) {
          simplify_lambda(one.op, {Runs::per_iteration, node.width});
        }
      },
      [&](Scatter& node) { over_width(node); }, [&](FlatMap& node) { over_width(node); },
      [&](WithAccumulator& node) {
        for (AccumulatorInput& input : node.inputs) {
          if (input.op) simplify_lambda(*input.op, {Runs::maybe});
        }
        simplify_lambda(node.body, {Runs::once});
      },
      [&](Differentiate& node) {
        simplify_lambda(node.function, {Runs::differentiated});
      },
      [&](CustomDerivative& node) {
        simplify_lambda(node.function, {Runs::once});
        simplify_lambda(node.adjoint, {Runs::maybe});
      },
      // The other operations of stage parallel have no scopes.
      [](auto&) {});
}

}  // namespace dagaz::passes
