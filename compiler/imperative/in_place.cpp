// Results of maps in the place of arrays that they replace.
//
// In host code, a map or a reduction that reads an array of its result's type at its own point
// alone, and is the last to know that array, may write the result over it.  So the sums that a loop
// adds to stay where they are, and values that were kept for a derivative become the derivative.
// So may one that then replaces the part of an array that the map reads, as in what reverse mode
// makes of reading a part:  xs with [a:b] = map2 (+) xs[a:b] ys.
// What a map makes only for a part of an array, which nothing else reads before, is made there.
#include <algorithm>

#include "imperative/lanes.h"

namespace dagaz::imperative {

// Whether nothing but the statement in turn knows the array.
bool Lowering::is_handed_over(const ir::Operand& array) const {
  const HostScope& scope = scopes_.back();
  if (!array.is_name() || !scope.made.contains(array.name())) return false;
  return scope.uses.at(array.name()) == 1;
}

namespace {

// Whether the body of `map`, or of a reduction, reads `array` at its own point alone.
template <typename OverSpace>
bool reads_own_point(const OverSpace& map, NameId array, const ir::Names& names) {
  std::unordered_map<NameId, std::size_t> rows = {{array, 0}};  // by number of indices
  for (const ir::Statement& one : map.body.statements) {
    const auto* index = as<ir::Index>(one.operation);
    if (index != nullptr && rows.contains(index->array)) {
      std::size_t depth = rows.at(index->array);
      for (const Operand& each : index->indices) {
        if (each != Operand(map.space[depth++].index.name)) return false;
      }
      if (depth < map.space.size()) rows.emplace(one.results[0].name, depth);
      continue;
    }
    for (const NameId name : ir::free_names(one, names)) {
      if (rows.contains(name)) return false;
    }
  }
  return true;
}

// Whether the next value of the k-th loop variable is computed point by point of the one before,
// which nothing else reads.
bool is_replaced(const ir::Loop& e, std::size_t k, const ir::Names& names) {
  const NameId parameter = e.values[k].parameter.name;
  if (!e.body.results[k].is_name()) return false;
  const NameId next = e.body.results[k].name();
  if (std::count(e.body.results.begin(), e.body.results.end(), Operand(next)) != 1) return false;
  bool found = false;
  for (const ir::Statement& one : e.body.statements) {
    if (one.results.size() == 1 && one.results[0].name == next) {
      const auto* map = as<ir::SegmentedMap>(one.operation);
      if (map == nullptr || !map->result_types[0].is_scalar()) return false;
      if (names.type(next) != names.type(parameter)) return false;
      found = reads_own_point(*map, parameter, names);
      continue;
    }
    for (const NameId name : ir::free_names(one, names)) {
      if (name == parameter || name == next) return false;
    }
  }
  return found && std::count(e.body.results.begin(), e.body.results.end(),
                             Operand(parameter)) == 0;
}

}  // namespace

// Finds the loop variables whose next value may take the place of the one before.
void Lowering::replace_in_place(const ir::Loop& e) {
  for (std::size_t k = 0; k < e.values.size(); ++k) {
    const NameId parameter = e.values[k].parameter.name;
    if (!names().type(parameter).is_array() || !is_handed_over(e.values[k].initial)) continue;
    const bool once = std::count_if(e.values.begin(), e.values.end(), [&](const auto& each) {
                        return each.initial == e.values[k].initial;
                      }) == 1;
    if (once && is_replaced(e, k, names())) {
      replaced_.insert_or_assign(e.body.results[k].name(), parameter);
    }
  }
}

// Finds the results of maps that are computed point by point of a part of an array that they then
// replace, where nothing else knows either.
void Lowering::find_replaced_parts(const ir::Body& body, HostScope& scope) {
  std::unordered_map<NameId, const ir::Statement*> bound;
  for (const ir::Statement& one : body.statements) {
    for (const ir::Binder& result : one.results) bound.emplace(result.name, &one);
    const auto* update = as<ir::Update>(one.operation);
    if (update == nullptr || !scope.made.contains(update->array)) continue;
    if (scope.uses[update->array] != 2 || !update->value.is_name()) continue;
    const NameId value = update->value.name();
    if (!bound.contains(value) || scope.uses[value] != 1) continue;
    const auto* map = as<ir::SegmentedMap>(bound.at(value)->operation);
    if (map == nullptr || map->result_types.size() != 1 || !map->result_types[0].is_scalar()) {
      continue;
    }
    for (const NameId part : ir::free_names(map->body, names())) {
      const auto* slice = bound.contains(part) ? as<ir::Slice>(bound.at(part)->operation) : nullptr;
      if (slice == nullptr || slice->array != update->array || scope.uses[part] != 1) continue;
      if (slice->dimensions != update->dimensions || names().type(part) != names().type(value)) {
        continue;
      }
      if (reads_own_point(*map, part, names())) scope.part_of.emplace(value, part);
    }
  }
}

// Whether nothing but the update in turn knows the array that it writes to, and all that says where it
// writes is known before statement `map`.
bool Lowering::is_written_alone(const ir::Body& body, std::size_t update, std::size_t map,
                                const HostScope& scope) const {
  const ir::Statement& statement = body.statements[update];
  const auto& e = std::get<ir::Update>(statement.operation);
  const auto is_known = [&](NameId name) {
    const auto bound = scope.bindings.find(name);
    return bound == scope.bindings.end() || bound->second < map;
  };
  const auto are_known = [&](const Operand& operand) {
    return !operand.is_name() || is_known(operand.name());
  };
  const bool is_own = carried_.contains(e.array) || scope.made.contains(e.array);
  return is_own && is_known(e.array) && scope.uses.at(e.array) == 1 &&
         std::all_of(statement.tokens.begin(), statement.tokens.end(), is_known) &&
         std::all_of(e.dimensions.begin(), e.dimensions.end(), [&](const ir::SliceDimension& one) {
           return are_known(one.start) && are_known(one.count) && are_known(one.stride);
         });
}

// Finds the results of maps that may be made where updates put them.
void Lowering::find_written_parts(const ir::Body& body, HostScope& scope) const {
  for (std::size_t k = 0; k < body.statements.size(); ++k) {
    const auto* update = as<ir::Update>(body.statements[k].operation);
    if (update == nullptr || !update->value.is_name()) continue;
    const NameId value = update->value.name();
    const auto bound = scope.bindings.find(value);
    if (bound == scope.bindings.end() || scope.uses.at(value) != 1) continue;
    if (!as<ir::SegmentedMap>(body.statements[bound->second].operation)) continue;
    if (is_written_alone(body, k, bound->second, scope)) scope.written_by.emplace(value, update);
  }
}

// Whether the value is where an update would put it.
bool Lowering::is_in_part(const Operand& value) const {
  if (mode_ != Mode::host || !value.is_name()) return false;
  const auto found = scopes_.back().in_part.find(value.name());
  return found != scopes_.back().in_part.end() && place_of(value.name()) == found->second;
}

// Lets `result` lie in the part of an array that an update replaces by it; whether there is one.
bool Lowering::take_part(NameId result) {
  HostScope& scope = scopes_.back();
  std::optional<Place> place;
  if (const auto part = scope.part_of.find(result); part != scope.part_of.end()) {
    place = place_of(part->second);
    in_place_.insert(result);
  } else if (const auto by = scope.written_by.find(result); by != scope.written_by.end()) {
    const ir::Update& e = *by->second;
    place = slice_of(*this, place_of(e.array), shape_of(e.array), e.dimensions);
  } else {
    return false;
  }
  wish(result, *place);
  scope.in_part.insert_or_assign(result, *place);
  return true;
}

// Lets `result` lie where `array` lies.
void Lowering::put_in_place_of(NameId array, NameId result) {
  const Place old = place_of(array);
  const Joint joint = new_joint(array);
  emit(Share{joint.block, old.block});
  move(joint.offset, old.offset);
  own(joint.block);
  wish(result, row_major(*this, joint.block, joint.offset, names().type(array).shape));
  in_place_.insert(result);
}

// An array that dies with statement `s`, of which `e` is the operation, and may become its result
// `result`.
template <typename OverSpace>
std::optional<NameId> Lowering::dying_array(const OverSpace& e, NameId result) const {
  for (const NameId name : ir::free_names(e.body, names())) {
    const bool dies = names().type(name) == names().type(result) && has_place(name) &&
                      place_of(name).is_dense() && is_handed_over(name);
    if (dies && reads_own_point(e, name, names())) return name;
  }
  return std::nullopt;
}

// Lets the result of a map lie where an array lies that it replaces: a loop variable, or one that
// dies with the map.
void Lowering::take_place(const ir::Statement& s, const ir::SegmentedMap& e) {
  if (mode_ != Mode::host) return;
  bool is_part = false;
  for (const ir::Binder& one : s.results) {
    is_part = (!wish_for(one.name) && take_part(one.name)) || is_part;
  }
  const NameId result = s.results[0].name;
  if (is_part || s.results.size() != 1 || !e.result_types[0].is_scalar()) return;
  if (wish_for(result)) return;
  const auto found = replaced_.find(result);
  const std::optional<NameId> old =
      found != replaced_.end() ? std::optional(found->second) : dying_array(e, result);
  if (old) put_in_place_of(*old, result);
}

// The same for the first mapped result, number `mapped`, of a reduction.
void Lowering::take_place(const ir::Statement& s, const ir::SegmentedReduce& e,
                          std::size_t mapped) {
  if (is_gpu() || mode_ != Mode::host || s.results.size() <= mapped) return;
  const NameId result = s.results[mapped].name;
  if (!e.result_types[mapped].is_scalar() || wish_for(result)) return;
  if (const auto old = dying_array(e, result)) put_in_place_of(*old, result);
}

}  // namespace dagaz::imperative
