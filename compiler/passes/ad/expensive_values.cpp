// Maps inside maps come first: what they give is an array for each point of the map around.
#include "passes/ad/expensive_values.h"

#include <algorithm>

#include "ir/cost.h"
#include "passes/ad/environment.h"
#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

/// Sizes that change from point to point have no array over the points.
bool has_place(const Type& type, const NameSet& inside) {
  return type.kind == TypeKind::value &&
         std::none_of(type.shape.begin(), type.shape.end(), [&](const Operand& size) {
           return size.is_name() && inside.count(size.name()) != 0;
         });
}

std::vector<NameId> given_by(Statement& statement, Names& names);

// The values inside the lambda that take long to compute.
std::vector<NameId> expensive_values(Lambda& lambda, Names& names) {
  std::vector<NameId> values;
  for (Statement& each : lambda.body.statements) {
    if (const auto* scalar = as<Scalar>(each.operation)) {
      if (is_transcendental(scalar->op)) values.push_back(each.results[0].name);
    } else if (const auto* map = as<MapScanReduce>(each.operation)) {
      if (is_pure_map(*map)) {
        for (const NameId value : given_by(each, names)) values.push_back(value);
      } else if (map->scans.empty() && !map->post) {
        for (const Binder& result : each.results) values.push_back(result.name);
      }
    }
  }
  return values;
}

// Adds these values to the results of a map; gives the new results.
std::vector<NameId> given_by(Statement& statement, Names& names) {
  auto& map = std::get<MapScanReduce>(statement.operation);
  Body& body = map.map.body;
  std::vector<NameId> given;
  for (const NameId value : expensive_values(map.map, names)) {
    const bool is_result = std::find(body.results.begin(), body.results.end(), Operand(value)) !=
                           body.results.end();
    const std::vector<NameId> bound = bound_names(body);
    const Type type = names.type(value);
    if (is_result || !has_place(type, NameSet(bound.begin(), bound.end()))) continue;
    body.results.push_back(value);
    map.map.result_types.push_back(type);
    given.push_back(names.fresh(names.base(value), array_over(map.width, type)));
    statement.results.push_back(Binder{given.back()});
  }
  return given;
}

}  // namespace

void give_expensive_values(Body& body, Names& names) {
  for (Statement& each : body.statements) {
    const auto* map = as<MapScanReduce>(each.operation);
    if (map != nullptr && is_pure_map(*map)) given_by(each, names);
  }
}

}  // namespace dagaz::passes::ad
