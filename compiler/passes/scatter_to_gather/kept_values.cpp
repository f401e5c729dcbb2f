#include "passes/scatter_to_gather/kept_values.h"

#include <algorithm>

#include "support/match.h"

namespace dagaz::passes::gathering {

using namespace ir;

static bool binds(const Statement& statement, NameId value) {
  return std::any_of(statement.results.begin(), statement.results.end(),
                     [&](const Binder& one) { return one.name == value; });
}

/// What runs inside of a map or the scope of accumulators.
static Lambda* inside_of(Statement& statement) {
  if (auto* map = as<MapScanReduce>(statement.operation)) return &map->map;
  auto* with = as<WithAccumulator>(statement.operation);
  return with == nullptr ? nullptr : &with->body;
}
static const Lambda* inside_of(const Statement& statement) {
  return inside_of(const_cast<Statement&>(statement));
}

std::optional<std::size_t> depth_of(NameId value, const Body& nest) {
  for (const Statement& one : nest.statements) {
    if (binds(one, value)) return 0;
    const Lambda* inside = inside_of(one);
    const auto depth = inside ? depth_of(value, inside->body) : std::nullopt;
    if (depth) return *depth + (as<MapScanReduce>(one.operation) ? 1 : 0);
  }
  return std::nullopt;
}

static void give_from(Lambda& inside, NameId value, Names& names) {
  Body& body = inside.body;
  for (Statement& one : body.statements) {
    NameId given = value;
    if (!binds(one, value)) {
      Lambda* next = inside_of(one);
      if (next == nullptr || !depth_of(value, next->body)) continue;
      give_from(*next, value, names);
      const auto* map = as<MapScanReduce>(one.operation);
      const Type& type = next->result_types.back();
      given = names.fresh("kept", map ? array_over(map->width, type) : type);
      one.results.push_back(Binder{given});
    }
    body.results.push_back(given);
    inside.result_types.push_back(names.type(given));
    return;
  }
}

void give_kept(Statement& with, NameId value, NameId array, Names& names) {
  give_from(std::get<WithAccumulator>(with.operation).body, value, names);
  with.results.push_back(Binder{array});
}

}  // namespace dagaz::passes::gathering
