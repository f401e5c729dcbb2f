#include "passes/ad/rules/returned_values.h"

#include <algorithm>
#include <utility>

#include "ir/fields.h"
#include "passes/ad/loop_depth.h"
#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

bool any_in(const std::vector<NameId>& names, const NameSet& set) {
  return std::any_of(names.begin(), names.end(), [&](NameId each) { return set.contains(each); });
}
bool binds_any_of(const Statement& statement, const NameSet& set) {
  return std::any_of(statement.results.begin(), statement.results.end(),
                     [&](const Binder& each) { return set.contains(each.name); });
}

/// What the forward sweep made of the site's results.
NameSet emitted_results(const Reverse& r, const MapSite& site) {
  NameSet names;
  for (const Binder& each : site.statement->results) {
    names.insert(r.environment.operand(Operand(each.name)).name());
  }
  return names;
}

/// The statements from `from` on that depend on the names, by position.
std::vector<std::size_t> dependent(const std::vector<Statement>& statements, std::size_t from,
                                   NameSet names, const Names& all) {
  std::vector<std::size_t> found;
  for (std::size_t i = from; i < statements.size(); ++i) {
    if (!any_in(free_names(statements[i], all), names)) continue;
    found.push_back(i);
    for (const Binder& each : statements[i].results) names.insert(each.name);
  }
  return found;
}

std::size_t position_of(const std::vector<Statement>& statements, const NameSet& results) {
  const auto found = std::find_if(statements.begin(), statements.end(), [&](const Statement& each) {
    return binds_any_of(each, results);
  });
  return static_cast<std::size_t>(found - statements.begin());
}

/// By statement: whether finding `roots` takes it.
std::vector<bool> needed_for(const std::vector<Operand>& roots,
                             const std::vector<Statement>& statements, const Names& names) {
  NameSet needed;
  for (const Operand& each : roots) {
    if (each.is_name()) needed.insert(each.name());
  }
  std::vector<bool> result(statements.size());
  for (std::size_t i = statements.size(); i-- > 0;) {
    if (!binds_any_of(statements[i], needed)) continue;
    result[i] = true;
    for (const NameId each : free_names(statements[i], names)) needed.insert(each);
  }
  return result;
}

}  // namespace

NameSet names_bound_by(const std::vector<Statement>& statements) {
  NameSet names;
  for (const Statement& statement : statements) {
    for (const Binder& each : statement.results) names.insert(each.name);
  }
  return names;
}

bool values_may_wait(const Reverse& r, const MapSite& site) {
  if (r.wanted.scope != &r.out() || site.statement == nullptr || !site.segments.empty()) {
    return false;
  }
  const auto* map = as<MapScanReduce>(site.statement->operation);
  if (map == nullptr || !is_pure_map(*map)) return false;
  const bool accumulates = std::any_of(site.arrays.begin(), site.arrays.end(),
                                       [](const auto& each) { return !each.has_value(); });
  if (accumulates) return false;
  const NameSet results = emitted_results(r, site);
  const std::vector<Statement>& statements = r.out().statements();
  const std::size_t forward = position_of(statements, results);
  if (forward == statements.size()) return false;
  const Statement& emitted = statements[forward];
  const bool is_the_map = std::holds_alternative<MapScanReduce>(emitted.operation) &&
                          names_bound_by({emitted}) == results &&
                          r.wanted.names.contains(emitted.results.front().name);
  if (!is_the_map) return false;
  const auto later = dependent(statements, forward + 1, results, r.names());
  return std::all_of(later.begin(), later.end(), [&](std::size_t i) {
    return std::all_of(
        statements[i].results.begin(), statements[i].results.end(),
        [&](const Binder& each) { return r.wanted.names.contains(each.name); });
  });
}

void keep_values_that_are_there(Reverse& r, ReturnMap& back) {
  std::vector<Operand> adjoints = back.reduced;
  adjoints.insert(adjoints.end(), back.mapped.begin(), back.mapped.end());
  for (const auto& [name, contribution] : back.sums) adjoints.push_back(contribution);
  for (const auto& [name, parameter] : back.accumulators) {
    adjoints.push_back(*r.adjoints.of(name).accumulator);
  }
  const auto for_adjoints = needed_for(adjoints, back.statements, r.names());
  const auto for_values = needed_for(back.values, back.statements, r.names());
  int shared = 0;
  int additional = 0;
  for (std::size_t i = 0; i < back.statements.size(); ++i) {
    if (!for_values[i]) continue;
    int& deepest = for_adjoints[i] ? shared : additional;
    deepest = std::max(deepest, loops_in(back.statements[i].operation));
  }
  if (additional >= shared) back.values.clear();
}

void move_values(Reverse& r, const MapSite& site, const ReturnMap& back, std::size_t first) {
  const NameSet results = emitted_results(r, site);
  std::vector<Statement> statements = r.out().take();
  const std::size_t forward = position_of(statements, results);
  const auto later = dependent(statements, forward + 1, results, r.names());
  // An adjoint may be such a value itself.
  const bool is_used = std::any_of(later.begin(), later.end(),
                                   [&](std::size_t i) { return i >= first; });
  if (is_used) {
    r.out().add_all(std::move(statements));
    return;
  }
  Substitution new_names;
  for (std::size_t i = 0; i < back.given_values.size(); ++i) {
    new_names.emplace(back.given_values[i], Operand(statements[forward].results[i].name));
  }
  std::vector<Statement> order;
  std::vector<Statement> after;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    if (i == forward) continue;
    if (std::binary_search(later.begin(), later.end(), i)) {
      after.push_back(std::move(statements[i]));
      continue;
    }
    if (i >= first) {
      substitute(statements[i], new_names, r.names());
      for (Binder& each : statements[i].results) {
        each.name = substitute(Operand(each.name), new_names).name();
      }
    }
    order.push_back(std::move(statements[i]));
  }
  r.out().add_all(std::move(order));
  r.out().add_all(std::move(after));
  r.note(*site.statement, "values of the map", "reverse",
         "given by the map of the return sweep, which executes it anyway");
}

}  // namespace dagaz::passes::ad
