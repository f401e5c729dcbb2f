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
  constexpr std::int64_t least = 2;
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
  copy_rows(target, source, type);
  before_packing_.insert_or_assign(name, source);
  arrays_.insert_or_assign(name, target);
}

// Copies rows to where their points are neighbours, in squares of as many elements as there are
// lanes where each row is one stretch of memory: these cross over in registers.
void Lanes::copy_rows(const LaneArray& target, const LaneArray& source, const ir::Type& type) {
  const bool is_stretch = source.offset.even && is_constant(source.place.strides[0], 1);
  if (!is_stretch || ir::byte_size(type.element) < 4) {
    copy(target, source, type);
    return;
  }
  const Operand width = ir::i64_operand(block_.width);
  const Operand count = uniform_operand(type.shape[0]);
  const Operand squares = low_.divide(count, width);
  low_.thread_loop(squares, false, [&](const Operand& square) {
    const Operand first = low_.mul(square, width);
    for (std::int64_t column = 0; column < block_.columns; ++column) {
      TransposeLanes turned;
      for (std::int64_t lane = 0; lane < block_.width; ++lane) {
        const Even& even = *source.offset.even;
        const Operand point = ir::i64_operand(column * block_.width + lane);
        const Operand row = low_.add(even.base, low_.mul(even.point_step, point));
        const NameId stretch = lane_variable("stretch", type.element);
        low_.emit(LoadLanes{stretch, source.place.block, low_.add(row, first),
                            ir::i64_operand(1), type.element});
        turned.values.push_back(stretch);
        turned.targets.push_back(lane_variable("turned", type.element));
      }
      low_.emit(turned);
      for (std::int64_t k = 0; k < block_.width; ++k) {
        const Operand element = low_.add(first, ir::i64_operand(k));
        const Operand at = low_.add(low_.mul(element, target.place.strides[0]),
                                    ir::i64_operand(column * block_.width));
        low_.emit(StoreLanes{target.place.block, at, ir::i64_operand(1),
                             turned.targets[static_cast<std::size_t>(k)], type.element});
      }
    }
  });
  const Operand done = low_.mul(squares, width);
  const Work work = work_;
  low_.thread_loop(low_.sub(count, done), false, [&](const Operand& i) {
    const LaneScalar element = uniform(low_.add(done, i));
    store(part_of(target, {element}), load(part_of(source, {element}), type.element));
  });
  work_ = work;
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
