// The return sweep of a branch branches on the same condition; each side re-executes its body.
// The adjoints of names from outside enter each side as they are and leave it as results.
#include <algorithm>
#include <utility>

#include "passes/ad/reverse.h"

namespace dagaz::passes::ad {

using namespace ir;

struct Reverse::ReturnBranch {
  struct Side {
    std::vector<Statement> statements;
    std::unordered_map<NameId, Adjoint> adjoints;
  };

  Reverse& reverse;
  std::vector<std::optional<Operand>> result_adjoints = {};
  std::vector<NameId> outside = {};                    // active names from outside
  std::unordered_map<NameId, Adjoint> initial = {};    // what each side starts with
  std::vector<NameId> leaving = {};                    // touched on either side

  Environment& environment() { return *reverse.environment_; }
  Builder& out() { return reverse.out(); }

  void find_outside(const Branch& branch) {
    std::vector<NameId> free = free_names(branch.then_body, reverse.names());
    for (const NameId name : free_names(branch.else_body, reverse.names())) {
      if (std::find(free.begin(), free.end(), name) == free.end()) free.push_back(name);
    }
    outside = reverse.outer_active_names(free);
  }

  // Accumulators and sums that exist already are handed through.  The other side, or a later use,
  // may see the same array: what is shared stays shared.
  void set_initial(const std::unordered_map<NameId, Adjoint>& outer) {
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
    reverse.adjoints_ = initial;
    NestedScope scope(environment());
    reverse.forward_sweep(body.statements);
    for (std::size_t i = 0; i < body.results.size(); ++i) {
      if (!result_adjoints[i]) continue;
      reverse.add_adjoint(body.results[i], *result_adjoints[i], Ownership::shared);
    }
    reverse.return_sweep(body.statements);
    return Side{scope.take_statements(), std::exchange(reverse.adjoints_, {})};
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
    NestedScope scope(environment());
    out().add_all(std::move(side.statements));
    std::vector<Operand> results;
    for (const NameId name : leaving) results.push_back(result(side.adjoints[name], name));
    return scope.take(std::move(results));
  }

  Operand result(const Adjoint& adjoint, NameId name) {
    if (adjoint.accumulator) return *adjoint.accumulator;
    const Type type = environment().type_of(Operand(name));
    if (!adjoint.value) return environment().zero(type);
    if (type.is_array() && adjoint.ownership == Ownership::shared) {
      return out().add(Copy{adjoint.value->name()}, "adjoint");
    }
    return *adjoint.value;
  }

  // The results of the new branch, and their types.
  std::vector<Binder> bind_results(Branch& back) {
    Names& names = reverse.names();
    std::vector<Binder> results;
    for (std::size_t i = 0; i < leaving.size(); ++i) {
      const Operand& value = back.then_body.results[i];
      const bool accumulator =
          value.is_name() && names.type(value.name()).kind == TypeKind::accumulator;
      const Type type = accumulator ? names.type(value.name())
                                    : environment().type_of(Operand(leaving[i]));
      results.push_back(Binder{names.fresh(names.base(leaving[i]) + "_adjoint", type)});
      back.result_types.push_back(type);
    }
    return results;
  }
};

void Reverse::rule(const Statement& statement, const Branch& branch) {
  ReturnBranch parts{*this};
  for (const Binder& result : statement.results) {
    const auto adjoint = take(result.name);
    parts.result_adjoints.push_back(adjoint ? adjoint->value : std::nullopt);
  }
  parts.find_outside(branch);
  std::unordered_map<NameId, Adjoint> outer = std::exchange(adjoints_, {});
  parts.set_initial(outer);
  Branch back;
  back.condition = environment_->operand(branch.condition);
  ReturnBranch::Side then_side = parts.sweep(branch.then_body);
  ReturnBranch::Side else_side = parts.sweep(branch.else_body);
  for (const NameId name : parts.outside) {
    if (parts.touches(then_side, name) || parts.touches(else_side, name)) {
      parts.leaving.push_back(name);
    }
  }
  back.then_body = parts.finish(std::move(then_side));
  back.else_body = parts.finish(std::move(else_side));
  adjoints_ = std::move(outer);
  if (parts.leaving.empty()) return;
  const std::vector<Binder> results = parts.bind_results(back);
  out().add(Statement{results, std::move(back), environment_->names_of(statement.tokens),
                      statement.location});
  for (std::size_t i = 0; i < results.size(); ++i) {
    replace_adjoint(parts.leaving[i], results[i].name);
  }
  note(statement, "branch", "reverse", "each side is executed again before its return sweep");
}

}  // namespace dagaz::passes::ad
