// Rows of an array that belong to the points of a block lie apart in memory; where they are read
// again and again (by several rows of the block, or in a loop around the loop that reads them),
// they are first copied to where the points are neighbours.
#include "imperative/lanes.h"

namespace dagaz::imperative {

namespace {

/// Arrays of rank 1 that a parallel operation reads element by element inside a loop: of the body
/// itself (`depth` 0 and more) or only of operations inside it (1 and more).
void collect_inputs(const ir::Body& body, int depth, const ir::Names& names,
                    std::unordered_set<NameId>& inputs) {
  for (const ir::Statement& one : body.statements) {
    const auto* map = as<ir::MapScanReduce>(one.operation);
    if (!map) continue;
    for (const NameId array : map->arrays) {
      const ir::Type& type = names.type(array);
      if (depth <= 0 && type.kind == ir::TypeKind::value && type.rank() == 1) inputs.insert(array);
    }
    collect_inputs(map->map.body, depth - 1, names, inputs);
  }
}

bool is_view(const ir::Operation& operation) {
  return as<ir::Index>(operation) || as<ir::Slice>(operation) || as<ir::Permute>(operation);
}

}  // namespace

void Lanes::pack(NameId name) {
  const ir::Type type = low_.names().type(name);
  const LaneArray source = arrays_.at(name);
  ir::Type packed = type;
  packed.shape.push_back(ir::i64_operand(block_.span()));
  LaneArray target;
  target.place = low_.private_array(packed, "packed");
  target.place.strides.pop_back();
  target.offset.by_point = true;
  target.offset.even = Even{zero(), zero(), ir::i64_operand(1)};
  copy(target, source, type);
  arrays_.insert_or_assign(name, target);
  has_packed_ = true;
}

void Lanes::prepare(const ir::Body& body, const std::optional<NameId>& rows) {
  prepared_.clear();
  std::unordered_set<NameId> later;
  if (rows) later.insert(*rows);
  std::unordered_set<NameId> inputs;
  collect_inputs(body, rows ? 0 : 1, low_.names(), inputs);
  for (const ir::Statement& one : body.statements) {
    const auto names = ir::free_names(one, low_.names());
    const bool waits = std::any_of(names.begin(), names.end(),
                                   [&](NameId name) { return later.contains(name); });
    if (waits || !is_view(one.operation)) {
      for (const ir::Binder& result : one.results) later.insert(result.name);
      continue;
    }
    statement(one);
    prepared_.insert(&one);
    const NameId name = one.results[0].name;
    const auto array = arrays_.find(name);
    if (array == arrays_.end() || !inputs.contains(name) || array->second.offset.by_row) continue;
    const LaneScalar& offset = array->second.offset;
    const bool neighbours = offset.even && is_constant(offset.even->point_step, 1);
    if (offset.by_point && !neighbours) pack(name);
  }
}

}  // namespace dagaz::imperative
