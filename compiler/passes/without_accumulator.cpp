#include "passes/without_accumulator.h"

#include <algorithm>

#include "ir/names.h"
#include "support/match.h"

namespace dagaz::passes {

using namespace ir;

static bool uses(const Body& body, NameId accumulator, const Names& names) {
  const auto& given = body.results;
  return std::find(given.begin(), given.end(), Operand(accumulator)) != given.end() ||
         std::any_of(body.statements.begin(), body.statements.end(),
                     [&](const Statement& each) { return uses(each, accumulator, names); });
}

// An accumulator enters a map as one of its arrays only.
bool uses(const Statement& statement, NameId accumulator, const Names& names) {
  if (const auto* map = as<MapScanReduce>(statement.operation)) {
    return std::find(map->arrays.begin(), map->arrays.end(), accumulator) != map->arrays.end();
  }
  if (const auto* branch = as<Branch>(statement.operation)) {
    return uses(branch->then_body, accumulator, names) ||
           uses(branch->else_body, accumulator, names);
  }
  if (const auto* with = as<WithAccumulator>(statement.operation)) {
    return uses(with->body.body, accumulator, names);
  }
  const std::vector<NameId> used = free_names(statement, names);
  return std::find(used.begin(), used.end(), accumulator) != used.end();
}

namespace {

/// The last name of the accumulator in `body`; nothing if it is lost on the way.
std::optional<NameId> last_in(const Body& body, NameId enters, const Names& names) {
  NameId at = enters;
  for (const Statement& each : body.statements) {
    if (!uses(each, at, names)) continue;
    const auto exit = exit_of(each, at, names);
    if (!exit) return std::nullopt;
    at = each.results[*exit].name;
  }
  return at;
}

std::optional<std::size_t> place_of(NameId name, const std::vector<Operand>& operands) {
  const auto found = std::find(operands.begin(), operands.end(), Operand(name));
  if (found == operands.end()) return std::nullopt;
  return static_cast<std::size_t>(found - operands.begin());
}

std::optional<std::size_t> result_of(const Body& body, NameId enters, const Names& names) {
  const auto last = last_in(body, enters, names);
  return last ? place_of(*last, body.results) : std::nullopt;
}

}  // namespace

std::optional<std::size_t> parameter_of(const MapScanReduce& map, NameId array) {
  if (std::count(map.arrays.begin(), map.arrays.end(), array) != 1) return std::nullopt;
  return static_cast<std::size_t>(std::find(map.arrays.begin(), map.arrays.end(), array) -
                                  map.arrays.begin());
}

std::optional<std::size_t> exit_of(const Statement& statement, NameId enters, const Names& names) {
  if (as<Accumulate>(statement.operation) || as<Identity>(statement.operation)) return 0;
  if (const auto* branch = as<Branch>(statement.operation)) {
    const auto yes = result_of(branch->then_body, enters, names);
    const auto no = result_of(branch->else_body, enters, names);
    return yes == no ? yes : std::nullopt;
  }
  if (const auto* with = as<WithAccumulator>(statement.operation)) {
    return result_of(with->body.body, enters, names);
  }
  const auto* map = as<MapScanReduce>(statement.operation);
  if (map == nullptr || !map->scans.empty() || map->post || map->sequential) return std::nullopt;
  const auto parameter = parameter_of(*map, enters);
  if (!parameter) return std::nullopt;
  return result_of(map->map.body, map->map.parameters[*parameter].name, names);
}

void remove_accumulator(Statement& statement, NameId enters, std::size_t exit, const Names& names) {
  if (auto* branch = as<Branch>(statement.operation)) {
    for (Body* side : {&branch->then_body, &branch->else_body}) {
      remove_accumulator(*side, enters, names);
      erase_at(side->results, exit);
    }
    erase_at(branch->result_types, exit);
  } else if (auto* with = as<WithAccumulator>(statement.operation)) {
    remove_accumulator(with->body.body, enters, names);
    erase_at(with->body.body.results, exit);
    erase_at(with->body.result_types, exit);
  } else {
    auto& map = std::get<MapScanReduce>(statement.operation);
    const std::size_t parameter = *parameter_of(map, enters);
    remove_accumulator(map.map.body, map.map.parameters[parameter].name, names);
    erase_at(map.arrays, parameter);
    erase_at(map.map.parameters, parameter);
    erase_at(map.map.body.results, exit);
    erase_at(map.map.result_types, exit);
  }
  erase_at(statement.results, exit);
}

void remove_accumulator(Body& body, NameId enters, const Names& names) {
  NameId at = enters;
  std::vector<Statement> kept;
  for (Statement& each : body.statements) {
    if (!uses(each, at, names)) {
      kept.push_back(std::move(each));
      continue;
    }
    const std::size_t exit = *exit_of(each, at, names);
    const NameId next = each.results[exit].name;
    if (!as<Accumulate>(each.operation) && !as<Identity>(each.operation)) {
      remove_accumulator(each, at, exit, names);
      if (!each.results.empty()) kept.push_back(std::move(each));
    }
    at = next;
  }
  body.statements = std::move(kept);
}

}  // namespace dagaz::passes
