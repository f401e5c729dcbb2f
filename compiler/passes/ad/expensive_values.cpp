// Maps inside maps come first: what they give is an array for each point of the map around.
#include "passes/ad/expensive_values.h"

#include <algorithm>

#include "ir/cost.h"
#include "ir/fields.h"
#include "passes/ad/environment.h"
#include "support/match.h"

namespace dagaz::passes::ad {

using namespace ir;

namespace {

/// Operations that take as long as a number takes to be written and read again, and what counts as
/// one of them: a read, which may be from anywhere, is several.
constexpr std::int64_t least_operations = 32;
constexpr std::int64_t operations_of_a_read = 4;

std::int64_t operations_in(const Body& body);
std::int64_t operations_in(const Statement& statement) {
  if (const auto* scalar = as<Scalar>(statement.operation)) return cost_of(scalar->op);
  if (as<Index>(statement.operation)) return operations_of_a_read;
  std::int64_t inside = 0;
  for_each_scope(statement.operation, [&](const Body& scope) { inside += operations_in(scope); });
  const auto* map = as<MapScanReduce>(statement.operation);
  const bool is_repeated = map != nullptr && map->width.is_constant();
  return is_repeated ? inside * integer_value(map->width.constant()) : inside;
}
std::int64_t operations_in(const Body& body) {
  std::int64_t count = 0;
  for (const Statement& each : body.statements) count += operations_in(each);
  return count;
}

/// Whether sums of the scope, and what its maps make for them, take longer than to read them back:
/// a few products do not.
bool is_long(const Statement& sums, const Body& scope) {
  const auto& map = std::get<MapScanReduce>(sums.operation);
  std::int64_t count = operations_in(sums);
  for (const Statement& each : scope.statements) {
    const bool is_for_them = std::any_of(
        each.results.begin(), each.results.end(), [&](const Binder& result) {
          return std::find(map.arrays.begin(), map.arrays.end(), result.name) != map.arrays.end();
        });
    if (is_for_them && as<MapScanReduce>(each.operation)) count += operations_in(each);
  }
  const auto numbers = static_cast<std::int64_t>(sums.results.size());
  return !map.width.is_constant() || count >= least_operations * numbers;
}

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
      } else if (map->scans.empty() && !map->post && is_long(each, lambda.body)) {
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
