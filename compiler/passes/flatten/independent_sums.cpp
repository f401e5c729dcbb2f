// Sums that need nothing else of a map's points come in a map before it, where the map takes more
// of others at once, or adds them to an accumulator.
//
//   map (\j -> let s = Σᵢ aᵢ·bᵢⱼ in let (t, u, v) = (Σᵢ cᵢⱼ·xᵢ, Σᵢ dᵢⱼ·xᵢ, …) in f s t u v) js
// becomes
//   ss = map (\j -> Σᵢ aᵢ·bᵢⱼ) js;  map (\j s -> let (t, u, v) = … in f s t u v) js ss
//
// Points share what they read in blocks that have as many rows as registers hold sums: where one
// step takes four sums beside one, this one would run in a quarter of the rows that it could.  So
// it is where a layer's adjoint meets gates that are computed again.  And what is added must be
// added once: blocks of points that share what they read compute some twice.  So it is where the
// adjoint of a layer is added to a table of embeddings.
#include "passes/flatten/independent_sums.h"

#include <algorithm>

#include "ir/builder.h"
#include "ir/fields.h"
#include "ir/value_count.h"
#include "passes/flatten/nest.h"
#include "support/match.h"

namespace dagaz::passes::flattening {

using namespace ir;

namespace {

// How many sums over a row a statement takes; 0 where it is something else.
std::size_t sums_of(const Statement& one) {
  const auto* sum = as<MapScanReduce>(one.operation);
  if (!sum || !sum->scans.empty() || sum->post || is_narrow(sum->width)) return 0;
  const std::size_t count = value_count(sum->reductions);
  return count == one.results.size() ? count : 0;
}

bool adds(const MapScanReduce& map) {
  return std::any_of(map.map.result_types.begin(), map.map.result_types.end(),
                     [](const Type& type) { return type.kind == TypeKind::accumulator; });
}

// The statements of the map's body, by number, that take fewer sums than another, or sums that it
// adds, and need none of the rest.
std::vector<std::size_t> independent_sums(const MapScanReduce& map, const Names& names) {
  const Body& body = map.map.body;
  std::size_t most = 0;
  for (const Statement& one : body.statements) most = std::max(most, sums_of(one));
  const NameSet made = bound_in(body.statements);
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < body.statements.size(); ++k) {
    const std::size_t sums = sums_of(body.statements[k]);
    if (sums == 0 || (sums == most && !adds(map))) continue;
    const auto needed = free_names(body.statements[k], names);
    const bool comes_first = std::none_of(needed.begin(), needed.end(),
                                          [&](NameId name) { return made.contains(name); });
    if (comes_first) found.push_back(k);
  }
  return found;
}

// A map over as much as `whole`, with those of its parameters that the body needs.
MapScanReduce map_of(const MapScanReduce& whole, Lambda lambda, const Names& names) {
  NameSet needed;
  for (const NameId name : free_names(lambda.body, names)) needed.insert(name);
  std::vector<NameId> arrays;
  for (std::size_t k = 0; k < whole.arrays.size(); ++k) {
    if (!needed.contains(whole.map.parameters[k].name)) continue;
    arrays.push_back(whole.arrays[k]);
    lambda.parameters.push_back(whole.map.parameters[k]);
  }
  return {whole.width, std::move(arrays), std::move(lambda), {}, {}, std::nullopt,
          whole.sequential};
}

}  // namespace

std::optional<std::vector<Statement>> independent_sums_first(const Statement& statement,
                                                             Names& names) {
  const auto* map = as<MapScanReduce>(statement.operation);
  if (!map || !is_map(*map)) return std::nullopt;
  const std::vector<std::size_t> sums = independent_sums(*map, names);
  if (sums.empty()) return std::nullopt;
  Lambda taken;
  Lambda rest{{}, map->map.body, map->map.result_types};
  Statement first = statement;
  first.results.clear();
  std::vector<NameId> made;
  for (const std::size_t k : sums) {
    const Statement& sum = map->map.body.statements[k];
    taken.body.statements.push_back(sum);
    for (const Binder& one : sum.results) {
      const Type& type = names.type(one.name);
      taken.body.results.emplace_back(one.name);
      taken.result_types.push_back(type);
      made.push_back(names.fresh(names.base(one.name), array_over(map->width, type)));
      first.results.push_back({made.back()});
    }
  }
  for (std::size_t k = sums.size(); k-- > 0;) {
    rest.body.statements.erase(rest.body.statements.begin() + static_cast<std::ptrdiff_t>(sums[k]));
  }
  Statement second = statement;
  MapScanReduce last = map_of(*map, std::move(rest), names);
  for (std::size_t k = 0; k < made.size(); ++k) {
    last.arrays.push_back(made[k]);
    last.map.parameters.push_back({taken.body.results[k].name()});
  }
  second.operation = std::move(last);
  first.operation = map_of(*map, std::move(taken), names);
  return std::vector<Statement>{renamed(first, names), std::move(second)};
}

}  // namespace dagaz::passes::flattening
