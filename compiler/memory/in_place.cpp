// Results of maps in the place of arrays that they replace.
//
// In host code, a map or a reduction that reads an array of its result's type at its own point
// alone, and is the last to know that array, may write the result over it.  So the sums that a loop
// adds to stay where they are, and values that were kept for a derivative become the derivative.
// So may one that then replaces the part of an array that the map reads, as in what reverse mode
// makes of reading a part:  xs with [a:b] = map2 (+) xs[a:b] ys.
// What a map or a reduction makes, or each side of a branch, and an update is the last to know, is
// made in the part of an array that the update replaces, where nothing reads that before.
#include <algorithm>

#include "ir/names.h"
#include "memory/host.h"
#include "support/match.h"

namespace dagaz::memory {

using ir::NameId;
using ir::Operand;

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

// Whether nothing but the update in turn knows the array that it writes to, and all that says where
// it writes is known before statement `map`.
bool is_written_alone(const ir::Statement& statement, std::size_t map, const Scope& scope) {
  const auto& e = std::get<ir::Update>(statement.operation);
  const auto is_known = [&](NameId name) {
    const auto bound = scope.uses.bindings.find(name);
    return bound == scope.uses.bindings.end() || bound->second < map;
  };
  const auto are_known = [&](const Operand& operand) {
    return !operand.is_name() || is_known(operand.name());
  };
  const bool is_own = scope.carried.contains(e.array) || scope.uses.made.contains(e.array);
  return is_own && is_known(e.array) && scope.uses.count_of(e.array) == 1 &&
         std::all_of(statement.tokens.begin(), statement.tokens.end(), is_known) &&
         std::all_of(e.dimensions.begin(), e.dimensions.end(), [&](const ir::SliceDimension& one) {
           return are_known(one.start) && are_known(one.count) && are_known(one.stride);
         });
}

template <typename OverSpace>
std::optional<NameId> dying(const OverSpace& e, NameId result, const Scope& scope,
                            const Memory& memory) {
  for (const NameId name : ir::free_names(e.body, scope.names)) {
    const bool dies = scope.names.type(name) == scope.names.type(result) &&
                      scope.uses.is_handed_over(name) && memory.home(name) != Home(Nowhere{}) &&
                      is_dense(scope.layouts.of(name));
    if (dies && reads_own_point(e, name, scope.names)) return name;
  }
  return std::nullopt;
}

}  // namespace

std::unordered_map<NameId, NameId> find_replaced_states(const ir::Loop& loop, const Scope& scope) {
  std::unordered_map<NameId, NameId> replaced;
  // What the body also reads by the name that it has outside stays as it is.
  const std::vector<NameId> read = ir::free_names(loop.body, scope.names);
  for (std::size_t k = 0; k < loop.values.size(); ++k) {
    const ir::LoopValue& value = loop.values[k];
    const NameId parameter = value.parameter.name;
    const bool is_array = scope.names.type(parameter).is_array();
    if (!is_array || !scope.uses.is_handed_over(value.initial)) continue;
    if (std::find(read.begin(), read.end(), value.initial.name()) != read.end()) continue;
    const auto times = std::count_if(loop.values.begin(), loop.values.end(), [&](const auto& each) {
      return each.initial == value.initial;
    });
    if (times == 1 && is_replaced(loop, k, scope.names)) {
      replaced.emplace(loop.body.results[k].name(), parameter);
    }
  }
  return replaced;
}

/// Whether `statement` is a view of the part of an array that `update` replaces.
static bool views_part(const ir::Statement& statement, const ir::Update& update,
                       const ir::Names& names) {
  if (const auto* slice = as<ir::Slice>(statement.operation)) {
    return slice->array == update.array && slice->dimensions == update.dimensions;
  }
  const auto* index = as<ir::Index>(statement.operation);
  if (index == nullptr || index->array != update.array) return false;
  const ir::Type& type = names.type(update.array);
  for (std::size_t k = 0; k < update.dimensions.size(); ++k) {
    const ir::SliceDimension& one = update.dimensions[k];
    const bool same = k < index->indices.size()
                          ? one.fixed && one.start == index->indices[k]
                          : !one.fixed && one.start == ir::i64_operand(0) &&
                                one.count == type.shape[k] && one.stride == ir::i64_operand(1);
    if (!same) return false;
  }
  return true;
}

std::unordered_map<NameId, NameId> find_replaced_parts(const Scope& scope) {
  std::unordered_map<NameId, NameId> parts;
  std::unordered_map<NameId, const ir::Statement*> bound;
  for (const ir::Statement& one : scope.body.statements) {
    for (const ir::Binder& result : one.results) bound.emplace(result.name, &one);
    const auto* update = as<ir::Update>(one.operation);
    if (update == nullptr || !scope.uses.made.contains(update->array)) continue;
    if (scope.uses.count_of(update->array) != 2 || !update->value.is_name()) continue;
    const NameId value = update->value.name();
    if (!bound.contains(value) || scope.uses.count_of(value) != 1) continue;
    const auto* map = as<ir::SegmentedMap>(bound.at(value)->operation);
    if (map == nullptr || map->result_types.size() != 1 || !map->result_types[0].is_scalar()) {
      continue;
    }
    for (const NameId part : ir::free_names(map->body, scope.names)) {
      if (!bound.contains(part) || scope.uses.count_of(part) != 1 ||
          !views_part(*bound.at(part), *update, scope.names) ||
          scope.names.type(part) != scope.names.type(value)) {
        continue;
      }
      if (reads_own_point(*map, part, scope.names)) parts.emplace(value, part);
    }
  }
  return parts;
}

/// Whether nothing knows what `maker` makes after statement `last`.
static bool is_unread_after(NameId value, const ir::Statement& maker, std::size_t last,
                            const Scope& scope) {
  if (scope.uses.count_of(value) == 1) return true;
  // What a branch gives may be an array that has another name.
  if (as<ir::Branch>(maker.operation)) return false;
  const auto use = scope.uses.last_of_memory.find(value);
  return use != scope.uses.last_of_memory.end() && use->second <= last;
}

std::unordered_map<NameId, Within> find_written_parts(const Scope& scope) {
  std::unordered_map<NameId, Within> parts;
  for (std::size_t k = 0; k < scope.body.statements.size(); ++k) {
    const ir::Statement& one = scope.body.statements[k];
    const auto* update = as<ir::Update>(one.operation);
    if (update == nullptr || !update->value.is_name()) continue;
    const NameId value = update->value.name();
    const auto bound = scope.uses.bindings.find(value);
    if (bound == scope.uses.bindings.end()) continue;
    const ir::Statement& maker = scope.body.statements[bound->second];
    if (!is_made_where_wanted(maker, value) || !is_unread_after(value, maker, k, scope)) continue;
    if (is_written_alone(one, bound->second, scope)) {
      parts.emplace(value, Within{update->array, update->dimensions});
    }
  }
  return parts;
}

// The threads of a team do not wait for each other before they write.
std::optional<NameId> dying_array(const ir::SegmentedMap& map, NameId result, const Scope& scope,
                                  const Memory& memory) {
  const bool by_teams = std::any_of(
      map.schedule.versions.begin(), map.schedule.versions.end(), [](const ir::Version& one) {
        return as<ir::Teams>(one.strategy) || as<ir::RowBlocks>(one.strategy);
      });
  if (by_teams) return std::nullopt;
  return dying(map, result, scope, memory);
}

std::optional<NameId> dying_array(const ir::SegmentedReduce& reduction, NameId result,
                                  const Scope& scope, const Memory& memory) {
  return dying(reduction, result, scope, memory);
}

}  // namespace dagaz::memory
