// Loops that keep every state.
//
//   loop (y, ys) for i < n do (f y, ys with [i] = y)
//
// is what the forward sweep of reverse mode makes of a loop, and a program that returns a history
// looks the same.  In host code the next state is made where the next iteration would copy it to,
// in row i + 1 of `ys`, and read there.  The last one has no row; it gets memory of its own.
//
// That is right where row i is not written again while it is the state: nothing in the loop else
// uses `ys`, and nothing consumes `y`.
#include <algorithm>

#include "ir/classify.h"
#include "ir/fields.h"
#include "ir/names.h"
#include "memory/host.h"
#include "plan/operators.h"
#include "support/match.h"

namespace dagaz::memory {

using ir::NameId;
using ir::Operand;
using plan::is_constant;
using ir::ScalarOp;

namespace {

// Whether `row` is the loop's index, as an i64.
bool is_index(const Operand& row, NameId index, const ir::Body& body) {
  if (row == Operand(index)) return true;
  return std::any_of(body.statements.begin(), body.statements.end(), [&](const ir::Statement& one) {
    const auto* wide = as<ir::Scalar>(one.operation);
    return wide != nullptr && row == Operand(one.results[0].name) &&
           wide->op == ScalarOp::sign_extend && wide->arguments[0] == Operand(index);
  });
}

// Whether `update` writes a whole row, whose number is the loop's index.
bool writes_row(const ir::Update& update, NameId index, const ir::Body& body,
                const ir::Type& whole) {
  const std::vector<ir::SliceDimension>& dimensions = update.dimensions;
  if (!dimensions[0].fixed || !is_index(dimensions[0].start, index, body)) return false;
  for (std::size_t k = 1; k < dimensions.size(); ++k) {
    const ir::SliceDimension& each = dimensions[k];
    if (each.fixed || !is_constant(each.start, 0) || !is_constant(each.stride, 1) ||
        each.count != whole.shape[k]) {
      return false;
    }
  }
  return true;
}

std::size_t uses_of(NameId name, const ir::Body& body, const ir::Names& names) {
  std::size_t uses = 0;
  for (const ir::Statement& each : body.statements) {
    for (const NameId used : ir::free_names(each, names)) uses += used == name ? 1 : 0;
  }
  for (const Operand& each : body.results) uses += each == Operand(name) ? 1 : 0;
  return uses;
}

bool is_made_where_wanted(const Operand& value, const ir::Body& body) {
  for (const ir::Statement& each : body.statements) {
    for (const ir::Binder& result : each.results) {
      if (Operand(result.name) == value) return memory::is_made_where_wanted(each, result.name);
    }
  }
  return false;
}

// Whether what an operation gives is not part of what it reads.
bool is_fresh(const ir::Operation& operation, const std::unordered_set<NameId>& states) {
  if (const auto* loop = as<ir::Loop>(operation)) {
    return std::none_of(loop->values.begin(), loop->values.end(), [&](const ir::LoopValue& each) {
      return each.initial.is_name() && states.contains(each.initial.name());
    });
  }
  if (as<ir::Branch>(operation)) return true;  // which gives on no state, or is refused
  if (const auto* update = as<ir::Update>(operation)) return !states.contains(update->array);
  return as<ir::Scalar>(operation) || as<ir::Copy>(operation) || as<ir::Concat>(operation) ||
         as<ir::Replicate>(operation) || as<ir::SegmentedMap>(operation) ||
         as<ir::SegmentedReduce>(operation) || as<ir::SegmentedScan>(operation) ||
         as<ir::MapScanReduce>(operation);
}

// Whether the body reads the arrays `states`, and views of them, and nothing else: it neither
// writes to them nor gives them on.
bool reads_only(const ir::Body& body, std::unordered_set<NameId> states, const ir::Names& names) {
  const auto is_state = [&](NameId name) { return states.contains(name); };
  for (const ir::Statement& each : body.statements) {
    const std::vector<NameId> used = ir::free_names(each, names);
    if (std::none_of(used.begin(), used.end(), is_state)) continue;
    if (ir::is_view(each.operation)) {
      const NameId view = each.results[0].name;
      if (names.type(view).is_array()) states.insert(view);
      continue;
    }
    if (!is_fresh(each.operation, states)) return false;
    if (const auto* map = as<ir::MapScanReduce>(each.operation)) {
      for (std::size_t i = 0; i < map->arrays.size(); ++i) {
        if (is_state(map->arrays[i])) states.insert(map->map.parameters[i].name);
      }
    }
    bool read = true;
    ir::for_each_scope(each.operation, [&](const ir::Body& inner) {
      read = read && reads_only(inner, states, names);
    });
    if (!read) return false;
  }
  return std::none_of(body.results.begin(), body.results.end(), [&](const Operand& each) {
    return each.is_name() && names.type(each).is_array() && is_state(each.name());
  });
}

// Whether value `k` of the loop is a state that may lie in a row of an array.
bool is_state(const ir::Loop& e, std::size_t k, const ir::Names& names) {
  const NameId state = e.values[k].parameter.name;
  const Operand& next = e.body.results[k];
  return names.type(state).is_array() && names.type(next) == names.type(state) &&
         is_made_where_wanted(next, e.body) && uses_of(next.name(), e.body, names) == 1 &&
         reads_only(e.body, {state}, names);
}

}  // namespace

// The value of the loop that `update` keeps, in a row of value `rows`, if that is what it does.
static std::optional<std::size_t> kept_by(const ir::Statement& statement, const ir::Loop& loop,
                                          NameId rows, const Operand& next_rows,
                                          const ir::Names& names) {
  const auto* update = as<ir::Update>(statement.operation);
  const auto* form = as<ir::ForForm>(loop.form);
  if (update == nullptr || update->array != rows) return std::nullopt;
  const NameId updated = statement.results[0].name;
  if (next_rows != Operand(updated)) return std::nullopt;
  if (uses_of(rows, loop.body, names) != 1 || uses_of(updated, loop.body, names) != 1) {
    return std::nullopt;
  }
  if (!writes_row(*update, form->index.name, loop.body, names.type(rows))) return std::nullopt;
  for (std::size_t k = 0; k < loop.values.size(); ++k) {
    if (update->value == Operand(loop.values[k].parameter.name) && is_state(loop, k, names)) {
      return k;
    }
  }
  return std::nullopt;
}

std::unordered_map<NameId, Checkpoint> find_checkpoints(
    const ir::Loop& loop, const ir::Names& names, std::unordered_set<NameId>& kept_before) {
  std::unordered_map<NameId, Checkpoint> found;
  const auto* form = as<ir::ForForm>(loop.form);
  if (form == nullptr) return found;
  for (const ir::Statement& each : loop.body.statements) {
    for (std::size_t all = 0; all < loop.values.size(); ++all) {
      const NameId rows = loop.values[all].parameter.name;
      const auto state = kept_by(each, loop, rows, loop.body.results[all], names);
      if (!state) continue;
      // What is kept twice is copied to the second array.
      const NameId next = loop.body.results[*state].name();
      const Checkpoint home{rows, form->index.name, form->bound};
      if (found.emplace(next, home).second) kept_before.insert(each.results[0].name);
    }
  }
  return found;
}

}  // namespace dagaz::memory
