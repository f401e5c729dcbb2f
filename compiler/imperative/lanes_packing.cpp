// Rows of an array that belong to the points of a block lie apart in memory; where they are read
// again and again (by several rows of the block, or in a loop around the loop that reads them),
// they are first copied to where the points are neighbours.
#include "imperative/lanes.h"

#include <algorithm>

namespace dagaz::imperative {

namespace {

/// Arrays of rank 1 that a parallel operation reads element by element, with the width of the
/// outermost loop that reads them again: inside a loop (`depth` 1), or also in the body itself (0).
void collect_inputs(const ir::Body& body, int depth, const std::optional<Operand>& again,
                    const ir::Names& names, std::unordered_map<NameId, Operand>& inputs) {
  for (const ir::Statement& one : body.statements) {
    const auto* map = as<ir::MapScanReduce>(one.operation);
    if (!map) continue;
    for (const NameId array : map->arrays) {
      const ir::Type& type = names.type(array);
      if (depth <= 0 && type.kind == ir::TypeKind::value && type.rank() == 1) {
        inputs.try_emplace(array, again.value_or(map->width));
      }
    }
    collect_inputs(map->map.body, depth - 1, again.value_or(map->width), names, inputs);
  }
}

bool is_view(const ir::Operation& operation) {
  return as<ir::Index>(operation) || as<ir::Slice>(operation) || as<ir::Permute>(operation);
}

}  // namespace

// Copying pays where enough is read again.  What sizes inside the body are nobody knows before.
std::optional<Operand> Lanes::worth_packing(Lowering& low, const ir::Body& body,
                                            const std::vector<Operand>& widths) {
  constexpr std::int64_t least = 8;
  const auto inside = ir::bound_names(body);
  Operand worth = ir::Constant(ir::make_bool(true));
  for (const Operand& width : widths) {
    const bool unknown = width.is_name() && std::find(inside.begin(), inside.end(),
                                                      width.name()) != inside.end();
    if (unknown) continue;
    if (width.is_constant() && ir::integer_value(width.constant()) < least) return std::nullopt;
    if (width.is_constant()) continue;
    const Operand enough = low.less(ir::i64_operand(least - 1), width);
    worth = worth.is_constant() ? enough : low.both(worth, enough);
  }
  return worth;
}

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
}

void Lanes::prepare(const ir::Body& body, const std::optional<NameId>& rows) {
  prepared_.clear();
  std::unordered_set<NameId> later;
  if (rows) later.insert(*rows);
  std::unordered_map<NameId, Operand> inputs;
  collect_inputs(body, rows ? 0 : 1, std::nullopt, low_.names(), inputs);
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
    const auto input = inputs.find(name);
    if (array == arrays_.end() || input == inputs.end() || array->second.offset.by_row) continue;
    const LaneScalar& offset = array->second.offset;
    const bool neighbours = offset.even && is_constant(offset.even->point_step, 1);
    if (!offset.by_point || neighbours) continue;
    pack(name);
    packed_.push_back(input->second);
  }
}

}  // namespace dagaz::imperative
