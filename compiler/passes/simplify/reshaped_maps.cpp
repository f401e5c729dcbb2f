// A map over what is flat only so that it can be mapped over is a nest of maps:
//
//   reshape t (map f (reshape s xs))  =  map (… map f) xs,  where xs has shape t
//
// Fusion makes one nest of that and the maps that make xs.  Where xs is no map's result nothing
// would be gained, and a flat loop is the better one.
#include <algorithm>

#include "ir/names.h"
#include "passes/simplify/rules.h"

namespace dagaz::passes {

namespace {

/// Whether a map does nothing but that, from scalars to one scalar.
bool is_plain_map_of_scalars(const MapScanReduce& map, const Rules& rules) {
  return map.scans.empty() && map.reductions.empty() && !map.post && !map.sequential &&
         !map.arrays.empty() && map.map.result_types.size() == 1 &&
         map.map.result_types[0].is_scalar() &&
         std::all_of(map.arrays.begin(), map.arrays.end(), [&](NameId array) {
           return rules.type(array).kind == TypeKind::value && rules.type(array).rank() == 1;
         });
}

/// What was made flat; empty if an array was not, or not from `shape`.
std::vector<NameId> arrays_of_shape(const MapScanReduce& map, const std::vector<Operand>& shape,
                                    const Rules& rules) {
  std::vector<NameId> sources;
  bool has_maps = false;
  for (const NameId array : map.arrays) {
    const auto* flat = rules.defined_as<Reshape>(array);
    if (flat == nullptr || rules.type(flat->array).shape != shape ||
        rules.may_be_consumed(flat->array)) {
      return {};
    }
    has_maps = has_maps || rules.defined_as<MapScanReduce>(flat->array) != nullptr;
    sources.push_back(flat->array);
  }
  return has_maps ? sources : std::vector<NameId>{};
}

}  // namespace

Outcome reshaped_map(Reshape& node, Rules& rules) {
  const auto* found = rules.defined_as<MapScanReduce>(node.array);
  if (found == nullptr || node.shape.size() < 2 || rules.uses(node.array) != 1 ||
      rules.may_be_consumed(node.array) || !is_plain_map_of_scalars(*found, rules)) {
    return Outcome::none;
  }
  std::vector<NameId> arrays = arrays_of_shape(*found, node.shape, rules);
  if (arrays.empty()) return Outcome::none;
  const std::vector<Operand> shape = node.shape;
  const std::vector<NameId> flat = found->arrays;
  Lambda function = renamed(found->map, rules.names());
  const ScalarType element = function.result_types[0].element;
  for (std::size_t d = shape.size() - 1; d > 0; --d) {
    const std::vector<Operand> row(shape.begin() + static_cast<std::ptrdiff_t>(d), shape.end());
    Lambda outer;
    MapScanReduce inner{shape[d], {}, std::move(function), {}, {}, std::nullopt};
    for (const NameId array : arrays) {
      const NameId rows =
          rules.fresh_parameter(rules.names().base(array), Type{rules.type(array).element, row});
      outer.parameters.push_back({rows});
      inner.arrays.push_back(rows);
    }
    const Type type{element, row};
    const NameId result = rules.names().fresh(rules.names().base(node.array), type);
    outer.result_types = {type};
    outer.body.statements.push_back({{{result}}, std::move(inner)});
    outer.body.results = {result};
    function = std::move(outer);
  }
  rules.assume_written(function.body);
  rules.look_through(node.array);
  for (const NameId array : flat) rules.look_through(array);
  rules.statement->operation =
      MapScanReduce{shape[0], std::move(arrays), std::move(function), {}, {}, std::nullopt};
  return Outcome::rewritten;
}

}  // namespace dagaz::passes
