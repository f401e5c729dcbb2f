// Common subexpressions: a statement whose operation is equal to one in scope gives its results.
//
// One walk with a table of what is in scope, by hash.  Arrays are shared only where nobody writes
// either of them, and not both are results of the function.  Then branches take from each other
// (equal_branches.h).
//
// Equal are also operations whose operands changed places, and squares of differences that did:
//
//   x + y = y + x,  (x - y) · (x - y) = (y - x) · (y - x)
//
// So what a pair of points gives is computed once where a sum for each point has what it takes from
// others and what they take from it.
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "ir/alias.h"
#include "ir/fields.h"
#include "ir/names.h"
#include "ir/traces.h"
#include "passes/commutative.h"
#include "passes/equal_branches.h"
#include "passes/passes.h"
#include "support/match.h"

namespace dagaz::passes {

namespace {

using namespace ir;

/// Statements that are worth finding again, and may be: pure, and not made for being written.
bool is_shareable(const Operation& operation) {
  return match(
      operation, [](const Identity&) { return false; }, [](const Scratch&) { return false; },
      [](const Update&) { return false; }, [](const Scatter&) { return false; },
      [](const Histogram&) { return false; }, [](const WithAccumulator&) { return false; },
      [](const Accumulate&) { return false; }, [](const Call&) { return false; },
      // Everything else is a function of its operands, unless it prints.
      [&](const auto&) { return !has_trace(operation); });
}

class Sharer {
 public:
  Sharer(Program& program, const Function& function)
      : names_(program.names), aliases_(analyse_aliases(function, program)) {}

  void run(Function& function) {
    body(function.body);
    for (Type& result : function.result_types) type(result);
  }

  bool changed() const { return !removed_.empty(); }

  // The visitor of walk_fields; scopes come after the statement's own operands.
  void use(NameId& name) {
    const auto found = replaced_.find(name);
    if (found != replaced_.end()) name = found->second;
  }
  void use(Operand& operand) {
    if (!operand.is_name()) return;
    const auto found = replaced_.find(operand.name());
    if (found != replaced_.end()) operand = found->second;
  }
  void type(Type& type) {
    for (Operand& size : type.shape) use(size);
  }
  void bind(Binder& binder) {
    if (names_.type(binder.name).shape.empty()) return;
    Type changed = names_.type(binder.name);
    type(changed);
    names_.set_type(binder.name, std::move(changed));
  }
  void body(Body& body) {
    const std::size_t mark = trail_.size();
    for (Statement& one : body.statements) statement(one);
    std::erase_if(body.statements, [this](const Statement& s) {
      return !s.results.empty() && removed_.contains(s.results.front().name);
    });
    for (Operand& result : body.results) use(result);
    leave(mark);
  }
  void lambda(Lambda& lambda) {
    for (Binder& parameter : lambda.parameters) bind(parameter);
    body(lambda.body);
    for (Type& result : lambda.result_types) type(result);
  }

 private:
  // Statements stay where they are while their scope is walked.
  using Table = std::unordered_multimap<std::size_t, const Statement*>;

  void statement(Statement& statement) {
    for (NameId& token : statement.tokens) use(token);
    walk_fields(*this, statement.operation);
    for (Binder& result : statement.results) bind(result);
    if (statement.results.empty() || !is_shareable(statement.operation)) return;
    if (statement.mode != ModeRequest::none) return;
    const std::size_t hash = hash_of(statement.operation, names_);
    if (share_as(statement.operation, hash, statement)) return;
    if (const auto* scalar = as<Scalar>(statement.operation)) {
      const auto turned = turned_around(*scalar);
      if (turned && share_as(*turned, hash_of(*turned, names_), statement)) return;
      if (scalar->op == ScalarOp::sub) {
        differences_.insert_or_assign(statement.results.front().name, *scalar);
      }
    }
    trail_.push_back(table_.emplace(hash, &statement));
  }
  /// The same value by an operation whose operands have changed places.
  std::optional<Operation> turned_around(const Scalar& scalar) const {
    if (!is_commutative(scalar.op) || scalar.arguments.size() != 2) return std::nullopt;
    Scalar turned = scalar;
    if (scalar.arguments[0] != scalar.arguments[1]) {
      std::swap(turned.arguments[0], turned.arguments[1]);
      return turned;
    }
    if (scalar.op != ScalarOp::mul || !scalar.arguments[0].is_name()) return std::nullopt;
    const auto found = differences_.find(scalar.arguments[0].name());
    if (found == differences_.end()) return std::nullopt;
    Scalar opposite = found->second;
    std::swap(opposite.arguments[0], opposite.arguments[1]);
    const Operation operation = opposite;
    const auto [first, last] = table_.equal_range(hash_of(operation, names_));
    const auto known = std::find_if(first, last, [&](const auto& one) {
      return equivalent(one.second->operation, operation, names_);
    });
    if (known == last) return std::nullopt;
    turned.arguments.assign(2, Operand(known->second->results.front().name));
    return turned;
  }
  bool share_as(const Operation& operation, std::size_t hash, const Statement& statement) {
    const auto [first, last] = table_.equal_range(hash);
    return std::any_of(first, last,
                       [&](const auto& one) { return share(*one.second, operation, statement); });
  }
  bool share(const Statement& known, const Operation& operation, const Statement& statement) {
    if (known.results.size() != statement.results.size()) return false;
    for (std::size_t i = 0; i < known.results.size(); ++i) {
      if (!may_share(known.results[i].name, statement.results[i].name)) return false;
    }
    if (!equivalent(known.operation, operation, names_)) return false;
    for (std::size_t i = 0; i < known.results.size(); ++i) {
      replaced_.emplace(statement.results[i].name, known.results[i].name);
    }
    removed_.insert(statement.results.front().name);
    return true;
  }
  bool may_share(NameId a, NameId b) const {
    if (names_.type(a).shape.empty()) return true;
    if (aliases_.roots(a) == aliases_.roots(b)) return true;
    return !aliases_.is_consumed(a) && !aliases_.is_consumed(b) &&
           !(aliases_.leaves_function(a) && aliases_.leaves_function(b));
  }
  void leave(std::size_t mark) {
    while (trail_.size() > mark) {
      table_.erase(trail_.back());
      trail_.pop_back();
    }
  }

  Names& names_;
  AliasInfo aliases_;
  std::unordered_map<NameId, NameId> replaced_;
  NameSet removed_;
  std::unordered_map<NameId, Scalar> differences_;
  Table table_;
  std::vector<Table::iterator> trail_;
};

}  // namespace

bool common_subexpressions(ParallelProgram& program) {
  bool changed = false;
  for (Function& function : program.program.functions) {
    Sharer sharer(program.program, function);
    sharer.run(function);
    if (sharer.changed()) changed = true;
    if (share_between_branches(function.body, program.program.names)) changed = true;
  }
  return changed;
}

}  // namespace dagaz::passes
