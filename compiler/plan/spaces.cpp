#include "plan/spaces.h"

#include <algorithm>

#include "support/match.h"

namespace dagaz::plan {

using ir::NameId;
using ir::Operand;
using ir::ScalarType;

bool is_plain_map(const ir::MapScanReduce& e, const ir::Names& names) {
  const bool has_arrays = std::all_of(e.arrays.begin(), e.arrays.end(), [&](NameId array) {
    return names.type(array).kind == ir::TypeKind::value;
  });
  return has_arrays && e.scans.empty() && e.reductions.empty() && !e.post;
}

namespace {

/// The map that alone makes the results of a body whose other statements are views.
const ir::MapScanReduce* sole_map(const ir::Body& body, const ir::Names& names) {
  if (body.statements.empty()) return nullptr;
  const ir::Statement& last = body.statements.back();
  const auto* map = as<ir::MapScanReduce>(last.operation);
  if (!map || !is_plain_map(*map, names) || !last.tokens.empty()) return nullptr;
  if (last.results.size() != body.results.size()) return nullptr;
  for (std::size_t k = 0; k < last.results.size(); ++k) {
    if (body.results[k] != Operand(last.results[k].name)) return nullptr;
  }
  for (std::size_t k = 0; k + 1 < body.statements.size(); ++k) {
    const ir::Operation& one = body.statements[k].operation;
    if (!as<ir::Index>(one) && !as<ir::Slice>(one) && !as<ir::Permute>(one)) return nullptr;
  }
  return map;
}

}  // namespace

ir::SegmentedMap as_space(const ir::MapScanReduce& outer, ir::Names& names) {
  ir::SegmentedMap result;
  const ir::MapScanReduce* map = &outer;
  const ir::MapScanReduce* next = nullptr;
  for (;; map = next) {
    const NameId index = names.fresh("i", ir::scalar_of(ScalarType::i64));
    result.space.push_back({ir::Binder{index}, map->width});
    for (std::size_t k = 0; k < map->arrays.size(); ++k) {
      result.body.statements.push_back(
          {{map->map.parameters[k]}, ir::Index{map->arrays[k], {index}}});
    }
    next = result.space.size() < 2 ? sole_map(map->map.body, names) : nullptr;
    const auto& inner = map->map.body.statements;
    result.body.statements.insert(result.body.statements.end(), inner.begin(),
                                  next ? inner.end() - 1 : inner.end());
    if (!next) break;
  }
  result.body.results = map->map.body.results;
  result.result_types = map->map.result_types;
  return result;
}

}  // namespace dagaz::plan
