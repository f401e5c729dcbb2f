// The return sweep of a branch branches on the same condition; each side re-executes its body.
// The adjoints of names from outside enter each side as they are and leave it as results.
#include <algorithm>
#include <utility>

#include "passes/ad/rules/rules.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

struct ReturnBranch {
  struct Side {
    std::vector<Statement> statements;
    AdjointTable adjoints;
  };

  Reverse& r;
  std::vector<std::optional<Operand>> result_adjoints = {};
  std::vector<NameId> outside = {};  // active names from outside
  AdjointTable initial = {};         // what each side starts with
  std::vector<NameId> leaving = {};  // touched on either side

  void find_outside(const Branch& branch) {
    std::vector<NameId> free = free_names(branch.then_body, r.names());
    for (const NameId name : free_names(branch.else_body, r.names())) {
      if (std::find(free.begin(), free.end(), name) == free.end()) free.push_back(name);
    }
    outside = r.adjoints.active_among(free);
  }

  // Accumulators and sums that exist already are handed through.  The other side, or a later use,
  // may see the same array: what is shared stays shared.
  void set_initial(const AdjointTable& outer) {
    for (const NameId name : outside) {
      const auto found = outer.find(name);
      if (found == outer.end()) continue;
      if (!found->second.accumulator && !found->second.value) continue;
      Adjoint adjoint;
      adjoint.accumulator = found->second.accumulator;
      adjoint.value = found->second.value;
      adjoint.ownership = found->second.ownership;
      initial.emplace(name, std::move(adjoint));
    }
  }

  Side sweep(const Body& body) {
    r.adjoints.exchange(initial);
    NestedScope scope(r.environment);
    forward_sweep(r, body.statements);
    for (std::size_t i = 0; i < body.results.size(); ++i) {
      if (!result_adjoints[i]) continue;
      r.adjoints.add(body.results[i], *result_adjoints[i], Ownership::shared);
    }
    return_sweep(r, body.statements);
    return Side{scope.take_statements(), r.adjoints.exchange({})};
  }

  bool touches(const Side& side, NameId name) const {
    const auto found = side.adjoints.find(name);
    if (found == side.adjoints.end()) return false;
    const auto before = initial.find(name);
    if (before == initial.end()) return found->second.value.has_value();
    return found->second.value != before->second.value ||
           found->second.accumulator != before->second.accumulator;
  }

  Body finish(Side side) {
    NestedScope scope(r.environment);
    r.out().add_all(std::move(side.statements));
    std::vector<Operand> results;
    for (const NameId name : leaving) results.push_back(result(side.adjoints[name], name));
    return scope.take(std::move(results));
  }

  Operand result(const Adjoint& adjoint, NameId name) {
    if (adjoint.accumulator) return *adjoint.accumulator;
    const Type type = r.environment.type_of(Operand(name));
    if (!adjoint.value) return r.environment.zero(type);
    if (type.is_array() && adjoint.ownership == Ownership::shared) {
      return r.out().add(Copy{adjoint.value->name()}, "adjoint");
    }
    return *adjoint.value;
  }

  // The results of the new branch, and their types.
  std::vector<Binder> bind_results(Branch& back) {
    Names& names = r.names();
    std::vector<Binder> results;
    for (std::size_t i = 0; i < leaving.size(); ++i) {
      const Operand& value = back.then_body.results[i];
      const bool accumulator =
          value.is_name() && names.type(value.name()).kind == TypeKind::accumulator;
      const Type type =
          accumulator ? names.type(value.name()) : r.environment.type_of(Operand(leaving[i]));
      results.push_back(Binder{names.fresh(names.base(leaving[i]) + "_adjoint", type)});
      back.result_types.push_back(type);
    }
    return results;
  }
};

}  // namespace

void adjoint_rule(Reverse& r, const Statement& statement, const Branch& branch) {
  ReturnBranch parts{r};
  for (const Binder& result : statement.results) {
    const auto adjoint = r.adjoints.take(result.name);
    parts.result_adjoints.push_back(adjoint ? adjoint->value : std::nullopt);
  }
  parts.find_outside(branch);
  AdjointTable outer = r.adjoints.exchange({});
  parts.set_initial(outer);
  Branch back;
  back.condition = r.environment.operand(branch.condition);
  ReturnBranch::Side then_side = parts.sweep(branch.then_body);
  ReturnBranch::Side else_side = parts.sweep(branch.else_body);
  for (const NameId name : parts.outside) {
    if (parts.touches(then_side, name) || parts.touches(else_side, name)) {
      parts.leaving.push_back(name);
    }
  }
  back.then_body = parts.finish(std::move(then_side));
  back.else_body = parts.finish(std::move(else_side));
  r.adjoints.exchange(std::move(outer));
  if (parts.leaving.empty()) return;
  const std::vector<Binder> results = parts.bind_results(back);
  r.out().add(Statement{results, std::move(back), r.environment.names_of(statement.tokens),
                        statement.location});
  for (std::size_t i = 0; i < results.size(); ++i) {
    r.adjoints.replace(parts.leaving[i], results[i].name);
  }
  r.note(statement, "branch", "reverse", "each side is executed again before its return sweep");
}

}  // namespace dagaz::passes::ad
