// Loops that keep every state.
//
//   loop (y, ys) for i < n do (f y, ys with [i] = y)
//
// is what the forward sweep of reverse mode makes of a loop, and a program that returns a history
// looks the same.  In host code the next state is made where the next iteration would copy it to, in
// row i + 1 of `ys`, and read there.  The last one has no row; it gets memory of its own.
//
// That is right where row i is not written again while it is the state: nothing in the loop else uses
// `ys`, and nothing consumes `y`.
#include <algorithm>

#include "imperative/lowering.h"
#include "ir/fields.h"

namespace dagaz::imperative {

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

bool is_made_by_map(const Operand& value, const ir::Body& body) {
  for (const ir::Statement& each : body.statements) {
    if (!as<ir::SegmentedMap>(each.operation)) continue;
    for (const ir::Binder& result : each.results) {
      if (Operand(result.name) == value) return true;
    }
  }
  return false;
}

bool is_view(const ir::Operation& operation) {
  return as<ir::Index>(operation) || as<ir::Slice>(operation) || as<ir::Reshape>(operation) ||
         as<ir::Permute>(operation);
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

// Whether the body reads the arrays `states`, and views of them, and nothing else: it neither writes
// to them nor gives them on.
bool reads_only(const ir::Body& body, std::unordered_set<NameId> states, const ir::Names& names) {
  const auto is_state = [&](NameId name) { return states.contains(name); };
  for (const ir::Statement& each : body.statements) {
    const std::vector<NameId> used = ir::free_names(each, names);
    if (std::none_of(used.begin(), used.end(), is_state)) continue;
    if (is_view(each.operation)) {
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
         is_made_by_map(next, e.body) && uses_of(next.name(), e.body, names) == 1 &&
         reads_only(e.body, {state}, names);
}

}  // namespace

// Finds the loop's states and where they are kept.
void Lowering::keep_states(const ir::Loop& e) {
  const auto* form = as<ir::ForForm>(e.form);
  if (form == nullptr) return;
  std::unordered_set<NameId> found;
  for (const ir::Statement& each : e.body.statements) {
    const auto* update = as<ir::Update>(each.operation);
    if (update == nullptr) continue;
    for (std::size_t all = 0; all < e.values.size(); ++all) {
      const NameId rows = e.values[all].parameter.name;
      if (update->array != rows || e.body.results[all] != Operand(each.results[0].name)) continue;
      if (uses_of(rows, e.body, names()) != 1) continue;
      if (uses_of(each.results[0].name, e.body, names()) != 1) continue;
      if (!writes_row(*update, form->index.name, e.body, names().type(rows))) continue;
      for (std::size_t k = 0; k < e.values.size(); ++k) {
        if (update->value != Operand(e.values[k].parameter.name) || !is_state(e, k, names())) continue;
        const NameId next = e.body.results[k].name();
        if (!found.insert(next).second) continue;  // kept twice: copied to the second array
        const ScalarType type = names().type(form->index.name).element;
        const Operand count = minimum(to_i64(form->bound, type), shape_of(rows)[0]);
        next_states_.insert_or_assign(next, KeptState{rows, form->index.name, count});
        kept_before_.insert(each.results[0].name);
      }
    }
  }
}

// Lets results of a map that are next states be made in their rows.
void Lowering::place_next_states(const ir::Statement& s) {
  for (const ir::Binder& result : s.results) {
    const auto found = next_states_.find(result.name);
    if (found == next_states_.end()) continue;
    const KeptState& kept = found->second;
    const ir::Type type = names().type(result.name);
    const Operand index = to_i64(kept.index, names().type(kept.index).element);
    const Operand next = add(index, ir::i64_operand(1));
    const Joint joint = new_joint(result.name);
    host_branch(
        less(next, kept.count),
        [&] {
          const Place row = part_at(*this, place_of(kept.rows), {next});
          emit(Share{joint.block, row.block});
          move(joint.offset, row.offset);
        },
        [&] { join(joint, Value{{}, type, new_array(type, names().base(result.name))}); });
    own(joint.block);
    wishes_.insert_or_assign(result.name,
                             row_major(*this, joint.block, joint.offset, type.shape));
  }
}

}  // namespace dagaz::imperative
