// Results of branches that lie where they are wanted.
//
// What both sides of a branch make they can make in one place, which is known before: in the part
// of an array that an update replaces, or in the next row of a loop's states.  A side makes a
// result by a map or a reduction, or in new memory that is filled afterwards: by updates, scatters,
// additions and loops that leave it where it is.
#include <algorithm>

#include "memory/host.h"
#include "support/match.h"

namespace dagaz::memory {

using ir::NameId;
using ir::Operand;

std::size_t reduced_results(const ir::SegmentedReduce& reduction) {
  std::size_t count = 0;
  for (const ir::ReduceOperator& one : reduction.operators) count += one.op.result_types.size();
  return count;
}

static bool is_made_by_points(const ir::Statement& statement, std::size_t result) {
  if (as<ir::SegmentedMap>(statement.operation)) return true;
  const auto* reduction = as<ir::SegmentedReduce>(statement.operation);
  return reduction != nullptr && result < reduced_results(*reduction);
}

// The array of which result number `result` is what it is after changes, in the same memory.
static std::optional<Operand> changed_array(const ir::Statement& statement, std::size_t result) {
  if (const auto* update = as<ir::Update>(statement.operation)) return Operand(update->array);
  if (const auto* scatter = as<ir::SegmentedScatter>(statement.operation)) {
    return Operand(scatter->targets[result].destination);
  }
  if (const auto* adding = as<ir::WithAccumulator>(statement.operation)) {
    if (result >= adding->inputs.size()) return std::nullopt;
    return Operand(adding->inputs[result].array);
  }
  const auto* loop = as<ir::Loop>(statement.operation);
  if (loop == nullptr || !is_updated_in(*loop, result)) return std::nullopt;
  return loop->values[result].initial;
}

// Whether `result` is `array` after updates of its parts, here or in loops.
static bool is_updated(const ir::Body& body, const Operand& result, NameId array) {
  if (result == Operand(array)) return true;
  for (const ir::Statement& each : body.statements) {
    for (std::size_t k = 0; k < each.results.size(); ++k) {
      if (Operand(each.results[k].name) != result) continue;
      if (const auto* update = as<ir::Update>(each.operation)) {
        return is_updated(body, Operand(update->array), array);
      }
      const auto* loop = as<ir::Loop>(each.operation);
      return loop != nullptr &&
             is_updated(loop->body, loop->body.results[k], loop->values[k].parameter.name) &&
             is_updated(body, loop->values[k].initial, array);
    }
  }
  return false;
}

bool is_updated_in(const ir::Loop& loop, std::size_t value) {
  const NameId parameter = loop.values[value].parameter.name;
  const Operand& next = loop.body.results[value];
  return next != Operand(parameter) && is_updated(loop.body, next, parameter);
}

static std::optional<Origin> origin_of(const ir::Body& body, const Operand& value) {
  for (const ir::Statement& one : body.statements) {
    for (std::size_t k = 0; k < one.results.size(); ++k) {
      const NameId name = one.results[k].name;
      if (Operand(name) != value) continue;
      if (is_made_by_points(one, k)) return Origin{name, true};
      if (as<ir::Scratch>(one.operation) || as<ir::Replicate>(one.operation)) {
        return Origin{name, false};
      }
      if (const auto* branch = as<ir::Branch>(one.operation)) {
        const auto sides = origins_on_sides(*branch, k);
        if (!sides) return std::nullopt;
        return Origin{name, (*sides)[0].is_complete && (*sides)[1].is_complete};
      }
      const auto array = changed_array(one, k);
      auto origin = array ? origin_of(body, *array) : std::nullopt;
      if (origin) origin->is_complete = false;
      return origin;
    }
  }
  return std::nullopt;
}

std::optional<std::array<Origin, 2>> origins_on_sides(const ir::Branch& branch,
                                                      std::size_t result) {
  const auto on = [&](const ir::Body& side) -> std::optional<Origin> {
    const Operand& value = side.results[result];
    if (std::count(side.results.begin(), side.results.end(), value) != 1) return std::nullopt;
    return origin_of(side, value);
  };
  const auto yes = on(branch.then_body);
  const auto no = on(branch.else_body);
  if (!yes || !no) return std::nullopt;
  return std::array{*yes, *no};
}

bool is_made_where_wanted(const ir::Statement& statement, NameId result) {
  const auto found = std::find_if(statement.results.begin(), statement.results.end(),
                                  [&](const ir::Binder& one) { return one.name == result; });
  const auto number = static_cast<std::size_t>(found - statement.results.begin());
  const auto* branch = as<ir::Branch>(statement.operation);
  return is_made_by_points(statement, number) ||
         (branch != nullptr && origins_on_sides(*branch, number).has_value());
}

}  // namespace dagaz::memory
