// Finding nests of maps with scalar cores.
#include "passes/interchange/nest.h"

#include <algorithm>

#include "support/match.h"

namespace dagaz::passes::interchanging {

bool is_in(const Operand& operand, const NameSet& set) {
  return operand.is_name() && set.contains(operand.name());
}

bool uses(const Statement& statement, const NameSet& set, const Names& names) {
  const std::vector<NameId> used = free_names(statement, names);
  return std::any_of(used.begin(), used.end(), [&](NameId name) { return set.contains(name); });
}

bool is_plain(const MapScanReduce& map, const Names& names) {
  const bool has_values =
      std::all_of(map.arrays.begin(), map.arrays.end(),
                  [&](NameId array) { return names.type(array).kind == TypeKind::value; });
  return has_values && map.scans.empty() && map.reductions.empty() && !map.post &&
         !map.sequential;
}

// The map that alone makes all results of `body`, each once.
static const MapScanReduce* sole_map(const Body& body, const Names& names) {
  if (body.statements.empty()) return nullptr;
  const Statement& last = body.statements.back();
  const auto* map = as<MapScanReduce>(last.operation);
  if (!map || !is_plain(*map, names) || !last.tokens.empty()) return nullptr;
  if (last.results.size() != body.results.size()) return nullptr;
  for (std::size_t k = 0; k < last.results.size(); ++k) {
    if (body.results[k] != Operand(last.results[k].name)) return nullptr;
  }
  return map;
}

// What a level may do again for each point of the core.
static bool may_sink(const Statement& statement) {
  return as<Index>(statement.operation) || as<Slice>(statement.operation) ||
         as<Permute>(statement.operation) || as<Scalar>(statement.operation) ||
         as<Assert>(statement.operation);
}

// Moves to the core what the levels' maps and statements take from the narrow map.
static bool sink(Nest& nest, NameSet& variant, Names& names) {
  std::vector<Statement> sunk;
  const auto bind = [&](const Statement& one) {
    for (const Binder& result : one.results) variant.insert(result.name);
  };
  for (Level& level : nest.levels) {
    std::optional<NameId> index;
    for (std::size_t k = level.arrays.size(); k-- > 0;) {
      if (!variant.contains(level.arrays[k])) continue;
      if (!index) index = names.fresh("i", scalar_of(ScalarType::i64));
      sunk.push_back({{level.parameters[k]}, Index{level.arrays[k], {*index}}});
      bind(sunk.back());
      level.arrays.erase(level.arrays.begin() + static_cast<std::ptrdiff_t>(k));
      level.parameters.erase(level.parameters.begin() + static_cast<std::ptrdiff_t>(k));
    }
    if (index) level.parameters.push_back({*index});  // its array is made with the map
    std::vector<Statement> kept;
    for (Statement& one : level.before) {
      if (!uses(one, variant, names)) {
        kept.push_back(std::move(one));
        continue;
      }
      if (!may_sink(one)) return false;
      bind(one);
      sunk.push_back(std::move(one));
    }
    level.before = std::move(kept);
  }
  for (Statement& one : nest.core.statements) {
    if (uses(one, variant, names)) {
      bind(one);
      sunk.push_back(std::move(one));
    } else {
      nest.levels.back().before.push_back(std::move(one));
    }
  }
  nest.core.statements = std::move(sunk);
  return true;
}

std::optional<Nest> nest_of(const Statement& statement, NameSet variant, Names& names) {
  const auto* map = as<MapScanReduce>(statement.operation);
  if (!map || !is_plain(*map, names) || statement.results.empty()) return std::nullopt;
  for (const NameId token : statement.tokens) {
    if (variant.contains(token)) return std::nullopt;
  }
  if (!uses(statement, variant, names)) return std::nullopt;
  Nest nest;
  while (true) {
    if (is_in(map->width, variant)) return std::nullopt;
    nest.levels.push_back({map->width, map->arrays, map->map.parameters, map->map.body.statements});
    const MapScanReduce* next = sole_map(map->map.body, names);
    if (!next) break;
    nest.levels.back().before.pop_back();
    map = next;
  }
  nest.core = {std::move(nest.levels.back().before), map->map.body.results};
  nest.levels.back().before.clear();
  nest.result_types = map->map.result_types;
  const bool has_scalars =
      std::all_of(nest.result_types.begin(), nest.result_types.end(), [](const Type& type) {
        return type.kind == TypeKind::value && type.is_scalar();
      });
  if (!has_scalars || !sink(nest, variant, names)) return std::nullopt;
  return nest;
}

bool reduces(const Nest& nest) {
  return std::any_of(nest.core.statements.begin(), nest.core.statements.end(),
                     [](const Statement& one) {
                       const auto* map = as<MapScanReduce>(one.operation);
                       return map && !map->reductions.empty();
                     });
}

}  // namespace dagaz::passes::interchanging
