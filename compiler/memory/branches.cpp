// Results of branches that lie where they are wanted.
//
// What both sides of a branch make by maps and reductions they can make in one place, which is
// known before: in the part of an array that an update replaces, or in the next row of a loop's
// states.
#include <algorithm>

#include "memory/host.h"
#include "support/match.h"

namespace dagaz::memory {

using ir::Operand;

std::size_t reduced_results(const ir::SegmentedReduce& reduction) {
  std::size_t count = 0;
  for (const ir::ReduceOperator& one : reduction.operators) count += one.op.result_types.size();
  return count;
}

static bool is_made_by_points(const ir::Statement& statement, std::size_t result) {
  if (as<ir::SegmentedMap>(statement.operation)) return true;
  const auto* reduction = as<ir::SegmentedReduce>(statement.operation);
  return reduction != nullptr && result < reduced_results(*reduction);
}

static bool is_made_in(const ir::Body& body, const Operand& value) {
  if (std::count(body.results.begin(), body.results.end(), value) != 1) return false;
  for (const ir::Statement& one : body.statements) {
    for (std::size_t k = 0; k < one.results.size(); ++k) {
      if (Operand(one.results[k].name) != value) continue;
      const auto* branch = as<ir::Branch>(one.operation);
      return is_made_by_points(one, k) || (branch && is_made_by_sides(*branch, k));
    }
  }
  return false;
}

bool is_made_by_sides(const ir::Branch& branch, std::size_t result) {
  return is_made_in(branch.then_body, branch.then_body.results[result]) &&
         is_made_in(branch.else_body, branch.else_body.results[result]);
}

bool is_made_where_wanted(const ir::Statement& statement, ir::NameId result) {
  const auto found = std::find_if(statement.results.begin(), statement.results.end(),
                                  [&](const ir::Binder& one) { return one.name == result; });
  const auto number = static_cast<std::size_t>(found - statement.results.begin());
  const auto* branch = as<ir::Branch>(statement.operation);
  return is_made_by_points(statement, number) ||
         (branch != nullptr && is_made_by_sides(*branch, number));
}

}  // namespace dagaz::memory
