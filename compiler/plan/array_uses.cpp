#include "plan/array_uses.h"

#include <algorithm>
#include <vector>

#include "ir/fields.h"
#include "ir/names.h"
#include "support/match.h"

namespace dagaz::plan {

using ir::NameId;
using ir::Operand;

// ---------------------------------------------------------------- arrays without memory

namespace {

/// Strikes off the names that an operation uses as whole arrays; collects its nested bodies.
struct WholeUses {
  std::unordered_set<NameId>& candidates;
  std::vector<const ir::Body*> inner = {};
  void use(const NameId& name) { candidates.erase(name); }
  void use(const Operand& operand) {
    if (operand.is_name()) candidates.erase(operand.name());
  }
  void bind(const ir::Binder&) {}
  void type(const ir::Type&) {}
  void body(const ir::Body& body) { inner.push_back(&body); }
  void lambda(const ir::Lambda& lambda) { inner.push_back(&lambda.body); }
};

}  // namespace

// Inputs of parallel operations are read one element at a time, as are indexed arrays.
static void find_memory_uses(const ir::Body& body, const ir::Names& names,
                             std::unordered_set<NameId>& element_only) {
  for (const ir::Statement& statement : body.statements) {
    WholeUses uses{element_only};
    if (as<ir::Iota>(statement.operation) || as<ir::Replicate>(statement.operation)) {
      element_only.insert(statement.results[0].name);
    }
    if (const auto* map = as<ir::MapScanReduce>(statement.operation)) {
      for (const NameId array : map->arrays) {
        if (names.type(array).rank() != 1) element_only.erase(array);
      }
      ir::walk_field(uses, map->map);
      ir::walk_field(uses, map->scans);
      ir::walk_field(uses, map->reductions);
      ir::walk_field(uses, map->post);
    } else if (const auto* index = as<ir::Index>(statement.operation)) {
      if (names.type(index->array).rank() != index->indices.size()) {
        element_only.erase(index->array);
      }
    } else {
      ir::walk_fields(uses, statement.operation);
    }
    for (const ir::Body* inner : uses.inner) find_memory_uses(*inner, names, element_only);
  }
  for (const Operand& result : body.results) {
    if (result.is_name()) element_only.erase(result.name());
  }
}

std::unordered_set<NameId> element_only_arrays(const ir::Body& body, const ir::Names& names) {
  std::unordered_set<NameId> found;
  find_memory_uses(body, names, found);
  return found;
}

// ---------------------------------------------------------------- updates

static bool is_updated_in_place_by_branch(const ir::Body& around, const ir::Branch& branch,
                                          std::size_t result, NameId parameter,
                                          const ir::Names& names);

static const ir::Statement* binding_of(const ir::Body& body, NameId name, std::size_t& position) {
  for (std::size_t k = body.statements.size(); k-- > 0;) {
    for (std::size_t r = 0; r < body.statements[k].results.size(); ++r) {
      if (body.statements[k].results[r].name == name) {
        position = r;
        return &body.statements[k];
      }
    }
  }
  return nullptr;
}

bool is_updated_in_place(const ir::Body& body, std::size_t result, NameId parameter,
                         const ir::Names& names) {
  const Operand& operand = body.results[result];
  if (!operand.is_name()) return false;
  NameId name = operand.name();
  while (name != parameter) {
    std::size_t position = 0;
    const ir::Statement* statement = binding_of(body, name, position);
    if (!statement) return false;
    if (const auto* update = as<ir::Update>(statement->operation)) {
      name = update->array;
    } else if (const auto* identity = as<ir::Identity>(statement->operation)) {
      if (!identity->value.is_name()) return false;
      name = identity->value.name();
    } else if (const auto* scatter = as<ir::Scatter>(statement->operation)) {
      name = scatter->targets[position].destination;
    } else if (const auto* histogram = as<ir::Histogram>(statement->operation)) {
      std::vector<NameId> destinations;
      for (const auto& one : histogram->operators) {
        destinations.insert(destinations.end(), one.destinations.begin(), one.destinations.end());
      }
      name = destinations[position];
    } else if (const auto* with = as<ir::WithAccumulator>(statement->operation)) {
      if (position >= with->inputs.size()) return false;
      name = with->inputs[position].array;
    } else if (const auto* loop = as<ir::Loop>(statement->operation)) {
      const ir::LoopValue& value = loop->values[position];
      if (!value.initial.is_name() ||
          !is_updated_in_place(loop->body, position, value.parameter.name, names)) {
        return false;
      }
      name = value.initial.name();
    } else if (const auto* branch = as<ir::Branch>(statement->operation)) {
      // Both branches hand back what came from the parameter.
      return is_updated_in_place_by_branch(body, *branch, position, parameter, names);
    } else {
      return false;
    }
  }
  return true;
}

// A branch keeps an array in place if each side updates the same array from around it, which in
// turn comes from `parameter`.
static bool is_updated_in_place_by_branch(const ir::Body& around, const ir::Branch& branch,
                                          std::size_t result, NameId parameter,
                                          const ir::Names& names) {
  const auto candidates = ir::free_names(ir::Operation(branch), names);
  for (const NameId candidate : candidates) {
    if (!names.type(candidate).is_array()) continue;
    if (!is_updated_in_place(branch.then_body, result, candidate, names) ||
        !is_updated_in_place(branch.else_body, result, candidate, names)) {
      continue;
    }
    if (candidate == parameter) return true;
    ir::Body outer{around.statements, {candidate}};
    return is_updated_in_place(outer, 0, parameter, names);
  }
  return false;
}

// ---------------------------------------------------------------- results over arrays

namespace {

/// Results that may be written over arrays, and these.
using Overwritten = std::unordered_map<NameId, NameId>;

// Whether a map reads array `array` of its arrays at the place alone that result `result` of its
// lambda is written to next.  The results of the maps inside it that do so go to `inside`.
bool reads_own_element(const ir::MapScanReduce& map, std::size_t array, std::size_t result,
                       const ir::Names& names, Overwritten& inside) {
  const ir::Lambda& lambda = map.map;
  if (!map.scans.empty() || !map.reductions.empty() || map.post) return false;
  const std::vector<NameId> from_outside = ir::free_names(lambda.body, names);
  const bool reads_elsewhere = std::find(from_outside.begin(), from_outside.end(),
                                         map.arrays[array]) != from_outside.end();
  if (reads_elsewhere) return false;
  const NameId row = lambda.parameters[array].name;
  if (names.type(row) != lambda.result_types[result]) return false;
  if (names.type(row).is_scalar()) return true;
  bool reads = false;
  for (const ir::Statement& one : lambda.body.statements) {
    const auto used = ir::free_names(one, names);
    if (std::find(used.begin(), used.end(), row) == used.end()) continue;
    const auto* inner = as<ir::MapScanReduce>(one.operation);
    if (inner == nullptr || reads) return false;
    const auto from = std::find(inner->arrays.begin(), inner->arrays.end(), row);
    const auto to = std::find_if(one.results.begin(), one.results.end(), [&](const auto& each) {
      return lambda.body.results[result] == Operand(each.name);
    });
    if (from == inner->arrays.end() || to == one.results.end()) return false;
    if (std::count(inner->arrays.begin(), inner->arrays.end(), row) != 1) return false;
    reads = reads_own_element(*inner, static_cast<std::size_t>(from - inner->arrays.begin()),
                              static_cast<std::size_t>(to - one.results.begin()), names, inside);
    if (!reads) return false;
    inside.insert_or_assign(to->name, row);
  }
  return reads && std::count(lambda.body.results.begin(), lambda.body.results.end(),
                             Operand(row)) == 0;
}

}  // namespace

// Finds the results of a map's body that may be written over an array that the body makes.
Overwritten overwritten_by(const ir::SegmentedMap& map, const ir::Names& names) {
  Overwritten overwritten;
  if (map.space.size() != 1) return overwritten;
  std::unordered_map<NameId, std::size_t> uses;
  std::unordered_set<NameId> made;
  for (const ir::Statement& one : map.body.statements) {
    for (const NameId name : ir::free_names(one, names)) ++uses[name];
    const auto* e = as<ir::MapScanReduce>(one.operation);
    if (e == nullptr) continue;
    for (std::size_t r = 0; r < one.results.size(); ++r) {
      const NameId result = one.results[r].name;
      if (std::count(map.body.results.begin(), map.body.results.end(), Operand(result)) == 1 &&
          names.type(result).is_array()) {
        for (std::size_t k = 0; k < e->arrays.size(); ++k) {
          const NameId array = e->arrays[k];
          const bool once = std::count(e->arrays.begin(), e->arrays.end(), array) == 1;
          if (!made.contains(array) || !once) continue;
          Overwritten inside;
          if (!reads_own_element(*e, k, r, names, inside)) continue;
          overwritten.insert_or_assign(result, array);
          overwritten.insert(inside.begin(), inside.end());
        }
      }
      if (names.type(result).kind == ir::TypeKind::value) made.insert(result);
    }
  }
  for (const Operand& result : map.body.results) {
    if (!result.is_name()) continue;
    ++uses[result.name()];
    const auto over = overwritten.find(result.name());
    if (over == overwritten.end()) continue;
    const std::vector<Operand>& results = map.body.results;
    const bool leaves = std::count(results.begin(), results.end(), Operand(over->second)) != 0;
    if (leaves || uses[over->second] != 1) overwritten.erase(over);
  }
  return overwritten;
}

}  // namespace dagaz::plan
