// The simplifier's engine: one walk over a function that substitutes what rules replaced, offers
// each statement to the rules, and moves invariant statements out of loops and lambdas.
#pragma once

#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/alias.h"
#include "ir/cost.h"
#include "passes/simplify/facts.h"
#include "passes/simplify/rules.h"

namespace dagaz::passes {

/// Simplifies one function, once.
class Simplifier {
 public:
  /// `differentiated_later`: derivatives are left in the program.
  Simplifier(Program& program, const Function& function, bool differentiated_later);
  void run(Function& function);
  bool changed() const { return changed_; }

 private:
  friend class Rules;

  /// How often a scope runs each time it is reached: this decides what may move out of it.
  enum class Runs { once, differentiated, maybe, per_iteration };
  struct Scope;
  struct Place {
    Scope* scope;
    std::size_t position;
  };
  using Table = std::unordered_multimap<std::size_t, Place>;  // statements in scope, by hash
  struct Condition {
    Operand holds;
    bool sense;
  };
  /// When a scope runs.
  struct Entry {
    Runs runs;
    std::optional<Operand> trip_count = {};  // per_iteration: it runs only if this is positive
    std::vector<NameId> indices = {};        // per_iteration: names that count its runs from 0
    std::optional<Condition> condition = {};  // maybe: it runs only if this has that sense
  };
  struct Scope : Entry {
    Scope* outer;
    std::size_t depth;
    const std::vector<Binder>* results = nullptr;  // of the statement that the scope is part of
    std::size_t facts = 0;                         // the mark of what is known outside
    std::vector<Statement> statements = {};
    std::vector<Table::iterator> shared = {};
    NameSet counts = {};  // asserted here not to be negative
  };
  struct Definition {
    Scope* scope = nullptr;
    std::size_t position = 0;
    // Of what is not bound yet, inside the statement that rules look at, deeper than any scope.
    std::size_t depth = std::numeric_limits<std::size_t>::max();
  };

  // Substitution.
  void use(NameId& name) const;
  void use(Operand& operand) const;
  void use_size(Operand& size) const;
  void substitute_shallow(Statement& statement) const;
  void substitute_tokens(std::vector<NameId>& tokens) const;
  void substitute_type(NameId name);
  struct ShallowSubstitution;
  void replace(NameId name, const Operand& operand);
  void replace_token_by_nothing(NameId token);

  bool may_be_consumed(NameId name) const;
  bool may_leave_function(NameId name) const;

  // Scopes and statements.
  void process(Statement statement);
  void add(Statement statement);
  Outcome apply_rules(Statement& statement, bool before_scopes);
  bool share(const Statement& statement);
  bool is_shareable(const Statement& statement) const;
  bool prints(const Operation& operation) const;
  void place(Statement statement);
  void put(Statement statement, Scope* target);
  void simplify_scopes(Statement& statement);
  void simplify_sides(Branch& node);
  void simplify_body(Body& body, Entry entry);
  void simplify_lambda(Lambda& lambda, Entry entry);
  void enter_lambda_over(const Operand& width, const std::vector<NameId>& arrays, Lambda& map);
  void bind(NameId name, std::size_t depth);

  // Hoisting.
  bool is_mapped_over_rows(const Scope& scope) const;
  Scope* target_of(const Statement& statement);
  std::size_t depth_of(const Statement& statement) const;
  bool may_leave(const Statement& statement, const Scope& scope);
  void hoist_assert(Statement& statement, Scope* target);
  struct CheckOutside;
  Scope* move_check_outside(Statement& statement);

  // Whether an array exists where its scope does not run.
  bool surely_runs(const Scope& scope);
  bool is_count_outside(const Operand& size, const Scope& scope);
  bool exists_outside(const Statement& statement, const Scope& scope);
  bool is_asserted_by_result(const Statement& assertion, const Scope& scope) const;
  std::vector<NameId> asserted_counts(const Statement& assertion) const;
  struct ExistenceOutside;

  const Statement* definition(NameId name) const;
  void count_uses(const Statement& statement);

  Program& program_;
  Names& names_;
  AliasInfo aliases_;
  NameSet newly_consumed_;
  NameSet newly_leaving_;
  std::vector<std::optional<Operand>> replaced_;
  std::vector<Definition> definitions_;
  std::vector<int> uses_;
  Table table_;
  NameSet void_tokens_;
  /// Names that are others under a guard: uses take the other and the guard.
  struct Guarded {
    Operand value;
    std::vector<NameId> tokens;
  };
  std::unordered_map<NameId, Guarded> guarded_;
  std::vector<NameId> enclosing_tokens_;
  const std::vector<Binder>* enclosing_results_ = nullptr;
  struct MapScope {
    std::size_t depth;
    bool takes_rows;  // an input's elements are arrays
  };
  std::vector<MapScope> map_scopes_;  // those around that are bodies of maps
  Facts facts_;
  Scope* scope_ = nullptr;
  const bool has_traces_;
  const bool differentiated_later_;
  bool changed_ = false;
};

/// Whether evaluating this where it was not evaluated before is harmless: no failure, no endless
/// loop, nothing consumed.
bool is_safe_anywhere(const Operation& operation);

}  // namespace dagaz::passes
