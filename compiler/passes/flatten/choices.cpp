// map (branch) = branch (map), where all points take the same side:
//
//   map (\i -> if c then f else g)  =  if c then map (\i -> f) else map (\i -> g)
//
// What all points of a side compute alike is computed before them: sizes of its arrays not least.
#include "passes/flatten/choices.h"

#include <algorithm>

#include "ir/names.h"
#include "passes/flatten/flattener.h"
#include "passes/flatten/parallelism.h"
#include "support/match.h"

namespace dagaz::passes::flattening {

using namespace ir;

// A number or a range that may be computed although no point needs it.
static bool is_harmless(const Statement& one) {
  const auto* scalar = as<Scalar>(one.operation);
  const bool may_divide_by_zero =
      scalar != nullptr && may_trap(scalar->op) &&
      !(scalar->arguments[1].is_constant() && scalar->arguments[1].constant().bits != 0);
  return one.tokens.empty() && !may_divide_by_zero &&
         (scalar != nullptr || as<Iota>(one.operation));
}

std::vector<Statement> take_common(Body& body, NameSet inside, const Names& names) {
  std::vector<Statement> common;
  std::vector<Statement> rest;
  for (Statement& one : body.statements) {
    const std::vector<NameId> used = free_names(one, names);
    const bool alike = is_harmless(one) && std::none_of(used.begin(), used.end(), [&](NameId name) {
                         return inside.contains(name);
                       });
    if (!alike) {
      for (const Binder& result : one.results) inside.insert(result.name);
    }
    (alike ? common : rest).push_back(std::move(one));
  }
  body.statements = std::move(rest);
  return common;
}

void Flattener::interchange_branch(const Nest& nest, Branch branch,
                                   const std::vector<Binder>& results, LocationId location,
                                   Out& out) {
  Branch outer{branch.condition, {}, {}, {}};
  for (const Binder& result : results) outer.result_types.push_back(names_.type(result.name));
  const auto distribute_side = [&](Body side, Body& over_nest) {
    over_nest.statements = take_common(side, bound_by(nest), names_);
    std::vector<Binder> made;
    for (const Binder& result : results) {
      made.push_back({names_.fresh_like(result.name)});
      over_nest.results.emplace_back(made.back().name);
    }
    Out statements(over_nest.statements.begin(), over_nest.statements.end());
    if (can_distribute(nest, side, names_)) {
      distribute(nest, std::move(side), made, location, statements);
    } else {
      emit_map(nest, std::move(side.statements), side.results, made, location, statements);
    }
    over_nest.statements = std::move(statements);
  };
  distribute_side(std::move(branch.then_body), outer.then_body);
  distribute_side(std::move(branch.else_body), outer.else_body);
  out.push_back({results, std::move(outer), {}, location});
}

}  // namespace dagaz::passes::flattening
