#include "passes/ad/rules/returned_values.h"

#include <algorithm>
#include <utility>

#include "passes/ad/loop_depth.h"
#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

/// What the forward sweep made of the site's results.
std::vector<NameId> emitted_results(const Reverse& r, const MapSite& site) {
  std::vector<NameId> names;
  for (const Binder& each : site.statement->results) {
    names.push_back(r.environment.name(each.name));
  }
  return names;
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
    const std::vector<Binder>& bound = statements[i].results;
    result[i] = std::any_of(bound.begin(), bound.end(),
                            [&](const Binder& each) { return needed.contains(each.name); });
    if (!result[i]) continue;
    for (const NameId each : free_names(statements[i], names)) needed.insert(each);
  }
  return result;
}

}  // namespace

bool values_may_wait(Reverse& r, const MapSite& site) {
  if (!r.wanted.are_of(r.out()) || site.statement == nullptr || !site.segments.empty()) {
    return false;
  }
  const auto* map = as<MapScanReduce>(site.statement->operation);
  if (map == nullptr || !is_pure_map(*map)) return false;
  const bool accumulates = std::any_of(site.arrays.begin(), site.arrays.end(),
                                       [](const auto& each) { return !each.has_value(); });
  return !accumulates && r.wanted.map_that_may_wait(emitted_results(r, site)).has_value();
}

void keep_values_that_are_there(Reverse& r, ReturnMap& back) {
  if (back.values.empty()) return;
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

void give_values(Reverse& r, const MapSite& site, const ReturnMap& back) {
  // Not if an adjoint is such a value itself.
  const auto map = r.wanted.map_that_may_wait(emitted_results(r, site));
  if (!map) return;
  r.wanted.give(*map, back.given_values);
  r.note(*site.statement, "values of the map", "reverse",
         "given by the map of the return sweep, which executes it anyway");
}

}  // namespace dagaz::passes::ad
