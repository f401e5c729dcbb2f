// The return sweep of a branch branches on the same condition; each side re-executes its body.
// The adjoints of names from outside enter each side as they are and leave it as results.
#include "passes/ad/reverse.h"

#include <algorithm>
#include <utility>

namespace dagaz::passes::ad {

using namespace ir;

std::vector<NameId> Reverse::outer_active_names(const std::vector<NameId>& free) const {
  std::vector<NameId> active;
  for (const NameId name : free) {
    const Type& type = environment_->names().type(name);
    if (type.kind == TypeKind::value && is_active(Operand(name))) active.push_back(name);
  }
  return active;
}

void Reverse::rule(const Statement& statement, const Branch& branch) {
  std::vector<std::optional<Operand>> result_adjoints;
  for (const Binder& result : statement.results) {
    const auto adjoint = take(result.name);
    result_adjoints.push_back(adjoint ? adjoint->value : std::nullopt);
  }
  std::vector<NameId> free = free_names(branch.then_body, names());
  for (const NameId name : free_names(branch.else_body, names())) {
    if (std::find(free.begin(), free.end(), name) == free.end()) free.push_back(name);
  }
  free = outer_active_names(free);

  std::unordered_map<NameId, Adjoint> outer = std::exchange(adjoints_, {});
  // What each side starts with: accumulators and sums that exist already are handed through.
  std::unordered_map<NameId, Adjoint> initial;
  for (const NameId name : free) {
    const auto found = outer.find(name);
    if (found == outer.end()) continue;
    if (found->second.accumulator || found->second.value) {
      Adjoint adjoint;
      adjoint.accumulator = found->second.accumulator;
      adjoint.value = found->second.value;
      // The other side, or a later use, may see the same array.
      adjoint.ownership = found->second.ownership;
      initial.emplace(name, std::move(adjoint));
    }
  }
  struct Side {
    std::vector<Statement> statements;
    std::unordered_map<NameId, Adjoint> adjoints;
  };
  const auto sweep = [&](const Body& body) {
    adjoints_ = initial;
    NestedScope scope(*environment_);
    forward_sweep(body.statements);
    for (std::size_t i = 0; i < body.results.size(); ++i) {
      if (result_adjoints[i]) {
        add_adjoint(body.results[i], *result_adjoints[i], Ownership::shared);
      }
    }
    return_sweep(body.statements);
    return Side{scope.take_statements(), std::exchange(adjoints_, {})};
  };
  Branch back;
  back.condition = environment_->operand(branch.condition);
  Side sides[] = {sweep(branch.then_body), sweep(branch.else_body)};

  // The names touched on either side leave as results.
  const auto touched = [&](Side& side, NameId name) {
    const auto found = side.adjoints.find(name);
    if (found == side.adjoints.end()) return false;
    const auto before = initial.find(name);
    if (before == initial.end()) return found->second.value.has_value();
    return found->second.value != before->second.value ||
           found->second.accumulator != before->second.accumulator;
  };
  std::vector<NameId> leaving;
  for (const NameId name : free) {
    if (touched(sides[0], name) || touched(sides[1], name)) leaving.push_back(name);
  }
  const auto finish = [&](Side& side) {
    NestedScope scope(*environment_);
    out().add_all(std::move(side.statements));
    std::vector<Operand> results;
    for (const NameId name : leaving) {
      const Adjoint& adjoint = side.adjoints[name];
      if (adjoint.accumulator) {
        results.push_back(*adjoint.accumulator);
        continue;
      }
      const Type type = environment_->type_of(Operand(name));
      if (!adjoint.value) {
        results.push_back(environment_->zero(type));
      } else if (type.is_array() && adjoint.ownership == Ownership::shared) {
        results.push_back(out().add(Copy{adjoint.value->name()}, "adjoint"));
      } else {
        results.push_back(*adjoint.value);
      }
    }
    return scope.take(std::move(results));
  };
  back.then_body = finish(sides[0]);
  back.else_body = finish(sides[1]);
  adjoints_ = std::move(outer);
  if (leaving.empty()) return;
  std::vector<Binder> results;
  for (std::size_t i = 0; i < leaving.size(); ++i) {
    const NameId name = leaving[i];
    const Operand& value = back.then_body.results[i];
    const bool accumulator =
        value.is_name() && names().type(value.name()).kind == TypeKind::accumulator;
    const Type type = accumulator ? names().type(value.name())
                                  : environment_->type_of(Operand(name));
    results.push_back(Binder{names().fresh(names().base(name) + "_adjoint", type)});
    back.result_types.push_back(type);
  }
  out().add(Statement{results, std::move(back), environment_->names_of(statement.tokens),
                      statement.location});
  for (std::size_t i = 0; i < leaving.size(); ++i) {
    Adjoint& adjoint = adjoints_[leaving[i]];
    if (adjoint.accumulator) {
      adjoint.accumulator = results[i].name;
    } else if (adjoint.deferred) {
      adjoint.contributions.push_back(results[i].name);
    } else {
      adjoint.value = results[i].name;
      adjoint.ownership = Ownership::owned;
    }
  }
  note(statement, "branch", "reverse", "each side is executed again before its return sweep");
}

}  // namespace dagaz::passes::ad
