// Fusion puts reductions over the same width into one loop, because they may read the same
// values.  Where they want different loop orders (the two halves of the gradient of a matrix
// product), reading twice costs less than one loop in the wrong order: the loop is cut again.
#include "plan/split.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "ir/names.h"
#include "plan/operators.h"
#include "support/match.h"

namespace dagaz::plan {

namespace {

/// Drops the statements that no result needs.
void keep_needed(ir::Body& body, const ir::Names& names) {
  std::unordered_set<ir::NameId> needed;
  for (const ir::Operand& result : body.results) {
    if (result.is_name()) needed.insert(result.name());
  }
  std::vector<ir::Statement> kept;
  for (std::size_t k = body.statements.size(); k-- > 0;) {
    ir::Statement& one = body.statements[k];
    const bool used = std::any_of(one.results.begin(), one.results.end(),
                                  [&](const ir::Binder& r) { return needed.contains(r.name); });
    if (!used && !as<ir::Assert>(one.operation)) continue;
    for (const ir::NameId name : ir::free_names(one, names)) needed.insert(name);
    kept.push_back(std::move(one));
  }
  std::reverse(kept.begin(), kept.end());
  body.statements = std::move(kept);
}

/// The position of the only parallel statement, if it is several reductions.
std::optional<std::size_t> joint_reductions(const ir::Body& body) {
  const ir::Statement* found = sole_reduction(body);
  if (!found || as<ir::MapScanReduce>(found->operation)->reductions.size() < 2) return std::nullopt;
  return static_cast<std::size_t>(found - body.statements.data());
}

/// Which reduction each result of the body needs: none, one, or nothing where it is several.
std::optional<std::vector<std::optional<std::size_t>>> needs_of(const ir::Body& body,
                                                                std::size_t position,
                                                                const ir::Names& names) {
  const auto& map = *as<ir::MapScanReduce>(body.statements[position].operation);
  std::unordered_map<ir::NameId, std::size_t> source;
  std::size_t next = 0;
  for (std::size_t r = 0; r < map.reductions.size(); ++r) {
    for (std::size_t k = 0; k < map.reductions[r].neutral.size(); ++k) {
      source[body.statements[position].results[next++].name] = r;
    }
  }
  for (std::size_t k = position + 1; k < body.statements.size(); ++k) {
    const ir::Statement& one = body.statements[k];
    std::optional<std::size_t> from;
    for (const ir::NameId name : ir::free_names(one, names)) {
      const auto found = source.find(name);
      if (found == source.end()) continue;
      if (from && *from != found->second) return std::nullopt;
      from = found->second;
    }
    for (const ir::Binder& result : one.results) {
      if (from) source[result.name] = *from;
    }
  }
  std::vector<std::optional<std::size_t>> needs;
  for (const ir::Operand& result : body.results) {
    const auto found = result.is_name() ? source.find(result.name()) : source.end();
    needs.push_back(found == source.end() ? std::nullopt : std::optional(found->second));
  }
  return needs;
}

/// Leaves only one reduction, and what it reads.
void keep_reduction(ir::Statement& statement, std::size_t kept, const ir::Names& names) {
  auto& map = std::get<ir::MapScanReduce>(statement.operation);
  std::size_t begin = 0;
  for (std::size_t r = 0; r < kept; ++r) begin += map.reductions[r].neutral.size();
  const std::size_t count = map.reductions[kept].neutral.size();
  const auto part = [&](auto& list) {
    const auto from = list.begin() + static_cast<std::ptrdiff_t>(begin);
    list = {from, from + static_cast<std::ptrdiff_t>(count)};
  };
  part(statement.results);
  part(map.map.body.results);
  part(map.map.result_types);
  map.reductions = {map.reductions[kept]};
  keep_needed(map.map.body, names);
  const auto used = ir::free_names(map.map.body, names);
  for (std::size_t k = map.arrays.size(); k-- > 0;) {
    if (std::find(used.begin(), used.end(), map.map.parameters[k].name) != used.end()) continue;
    map.arrays.erase(map.arrays.begin() + static_cast<std::ptrdiff_t>(k));
    map.map.parameters.erase(map.map.parameters.begin() + static_cast<std::ptrdiff_t>(k));
  }
}

}  // namespace

std::vector<MapPart> split_by_reduction(const ir::SegmentedMap& e, ir::Names& names) {
  const auto position = joint_reductions(e.body);
  if (!position) return {};
  const auto needs = needs_of(e.body, *position, names);
  if (!needs) return {};
  const std::size_t count =
      as<ir::MapScanReduce>(e.body.statements[*position].operation)->reductions.size();
  std::vector<MapPart> parts;
  for (std::size_t r = 0; r < count; ++r) {
    const ir::Statement copied = ir::renamed(ir::Statement{{}, e}, names);
    MapPart part{*as<ir::SegmentedMap>(copied.operation), {}};
    std::vector<ir::Operand> results;
    std::vector<ir::Type> types;
    for (std::size_t k = 0; k < needs->size(); ++k) {
      if ((*needs)[k].value_or(0) != r) continue;
      part.results.push_back(k);
      results.push_back(part.map.body.results[k]);
      types.push_back(part.map.result_types[k]);
    }
    if (part.results.empty()) continue;
    part.map.body.results = std::move(results);
    part.map.result_types = std::move(types);
    keep_reduction(part.map.body.statements[*position], r, names);
    keep_needed(part.map.body, names);
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace dagaz::plan
