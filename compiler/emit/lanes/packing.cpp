// Rows of an array that belong to the points of a block lie apart in memory; where they are read
// again and again (by several rows of the block, or in a loop around the loop that reads them),
// they are first copied to where the points are neighbours.  What the points make is likewise
// written where they are neighbours, and then copied to where it belongs.
#include "emit/lanes/packing.h"

#include <algorithm>

#include "emit/lanes/arrays.h"
#include "emit/lanes/statements.h"
#include "emit/lanes/values.h"
#include "emit/memory/allocation.h"
#include "emit/thread/loops.h"
#include "ir/names.h"
#include "plan/copies.h"
#include "plan/lane_values.h"

namespace dagaz::emit {

namespace {

bool are_neighbours(const LaneArray& array) {
  return array.offset.affine && is_constant(array.offset.affine->point_step, 1);
}

/// Each point has its own stretch of memory.
bool are_stretches(const LaneArray& array) {
  return array.offset.affine && !are_neighbours(array) &&
         is_constant(array.place.strides.back(), 1);
}

/// As many elements of the points of a vector as it has lanes: of rows `from` this one on, which
/// become those from `to` on.
struct Square {
  Operand from;
  Operand to;
  std::int64_t row;
  std::int64_t column;
};

}  // namespace

// Copies rows to where their points are neighbours, in squares of as many elements as there are
// lanes where each row is one stretch of memory: these cross over in registers.
static void copy_rows(Lanes& l, const LaneArray& target, const LaneArray& source,
                      const ir::Type& type) {
  const bool is_stretch = source.offset.affine && is_constant(source.place.strides[0], 1);
  if (!is_stretch || !plan::can_cross_over(type.element)) {
    copy(l, target, source, type);
    return;
  }
  const Operand width = ir::i64_operand(l.block.width);
  const Operand count = uniform_operand(l, type.shape[0]);
  const Operand squares = l.c.divide(count, width);
  thread_loop(l.c, squares, false, [&](const Operand& square) {
    const Operand first = l.c.mul(square, width);
    for (std::int64_t column = 0; column < l.block.columns; ++column) {
      TransposeLanes turned;
      for (std::int64_t lane = 0; lane < l.block.width; ++lane) {
        const Affine& affine = *source.offset.affine;
        const Operand point = ir::i64_operand(column * l.block.width + lane);
        const Operand row = l.c.add(affine.base, l.c.mul(affine.point_step, point));
        const NameId stretch = lane_variable(l, "stretch", type.element);
        l.c.emit(LoadLanes{stretch, source.place.block, l.c.add(row, first), ir::i64_operand(1),
                           type.element});
        turned.values.push_back(stretch);
        turned.targets.push_back(lane_variable(l, "turned", type.element));
      }
      l.c.emit(turned);
      for (std::int64_t k = 0; k < l.block.width; ++k) {
        const Operand element = l.c.add(first, ir::i64_operand(k));
        const Operand at = l.c.add(l.c.mul(element, target.place.strides[0]),
                                   ir::i64_operand(column * l.block.width));
        l.c.emit(StoreLanes{target.place.block, at, ir::i64_operand(1),
                            turned.targets[static_cast<std::size_t>(k)].name, type.element});
      }
    }
  });
  const Operand done = l.c.mul(squares, width);
  thread_loop(l.c, l.c.sub(count, done), false, [&](const Operand& i) {
    const LaneScalar element = uniform(l, l.c.add(done, i));
    store(l, part_of(l, target, {element}), load(l, part_of(l, source, {element}), type.element));
  });
}

bool is_collected(const Lanes& l, const LaneArray& target, std::size_t result) {
  const auto& collected = l.plan.collected;
  return are_stretches(target) &&
         std::find(collected.begin(), collected.end(), static_cast<int>(result)) != collected.end();
}

bool is_turned(const Lanes& l, const LaneArray& target, NameId result) {
  const std::vector<NameId>& turned = l.plan.turned;
  // What runs several rows at a time may also run one by one, at the end.
  const bool is_row = l.block.rows == 1 && !l.mask && target.place.strides.size() == 1;
  return is_row && are_stretches(target) &&
         std::find(turned.begin(), turned.end(), result) != turned.end();
}

static void turn_square(Lanes& l, const LaneArray& target, const LaneArray& source,
                        const Square& square, ScalarType type) {
  const auto start = [&](const LaneArray& array, std::int64_t lane, const Operand& element) {
    const Affine& affine = *array.offset.affine;
    const std::int64_t point = square.column * l.block.width + lane;
    const std::int64_t row = array.offset.by_row ? square.row : 0;
    const Operand moved = l.c.add(l.c.mul(affine.row_step, ir::i64_operand(row)),
                                  l.c.mul(affine.point_step, ir::i64_operand(point)));
    return l.c.add(l.c.add(affine.base, moved), l.c.mul(element, array.place.strides[0]));
  };
  TransposeLanes turned;
  for (std::int64_t k = 0; k < l.block.width; ++k) {
    const NameId points = lane_variable(l, "points", type);
    const Operand element = l.c.add(square.from, ir::i64_operand(k));
    l.c.emit(
        LoadLanes{points, source.place.block, start(source, 0, element), ir::i64_operand(1), type});
    turned.values.push_back(points);
    turned.targets.push_back(lane_variable(l, "turned", type));
  }
  l.c.emit(turned);
  for (std::int64_t lane = 0; lane < l.block.width; ++lane) {
    const NameId column = turned.targets[static_cast<std::size_t>(lane)];
    l.c.emit(StoreLanes{target.place.block, start(target, lane, square.to), ir::i64_operand(1),
                        column, type});
  }
}

// Copies one row of each point from where the points are neighbours to where each has a stretch, in
// squares; the last one is moved back.
bool turn_over(Lanes& l, const LaneArray& target, const LaneArray& source, const ir::Type& type) {
  if (type.rank() != 1 || !plan::can_turn_over(type, l.block.width)) return false;
  if (!are_neighbours(source) || !are_stretches(target)) return false;
  const Operand width = ir::i64_operand(l.block.width);
  const Operand last = l.c.sub(type.shape[0], width);
  thread_loop(l.c, l.c.divide_up(type.shape[0], width), false, [&](const Operand& square) {
    const Operand first = l.c.minimum(l.c.mul(square, width), last);
    const std::int64_t rows = target.offset.by_row ? l.block.rows : 1;
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t column = 0; column < l.block.columns; ++column) {
        turn_square(l, target, source, {first, first, row, column}, type.element);
      }
    }
  });
  return true;
}

void turn_tile(Lanes& l, const LaneArray& target, const LaneArray& tile, const Operand& first,
               ScalarType type) {
  for (std::int64_t column = 0; column < l.block.columns; ++column) {
    turn_square(l, target, tile, {ir::i64_operand(0), first, 0, column}, type);
  }
}

static void pack(Lanes& l, NameId name) {
  const ir::Type type = l.c.names().type(name);
  const LaneArray source = l.known.arrays.at(name);
  ir::Type packed = type;
  packed.shape.push_back(ir::i64_operand(l.block.span()));
  LaneArray target;
  target.place = private_array(l.c, packed, "packed");
  target.place.strides.pop_back();
  target.offset.by_point = true;
  target.offset.affine = Affine{ir::i64_operand(0), ir::i64_operand(0), ir::i64_operand(1)};
  copy_rows(l, target, source, type);
  l.before_packing.insert_or_assign(name, source);
  l.known.arrays.insert_or_assign(name, target);
}

void prepare(Lanes& l, const ir::Body& body, const std::optional<NameId>& rows) {
  l.prepared.clear();
  if (l.plan.packed.empty()) return;
  std::unordered_set<NameId> later;
  if (rows) later.insert(*rows);
  for (const ir::Statement& one : body.statements) {
    const auto names = ir::free_names(one, l.c.names());
    const bool waits =
        std::any_of(names.begin(), names.end(), [&](NameId name) { return later.contains(name); });
    if (waits || !plan::may_come_first(one.operation, rows.has_value())) {
      for (const ir::Binder& result : one.results) later.insert(result.name);
      continue;
    }
    emit_statement(l, one);
    const NameId name = one.results[0].name;
    l.prepared.insert(name);
    const bool is_packed =
        std::find(l.plan.packed.begin(), l.plan.packed.end(), name) != l.plan.packed.end();
    if (is_packed && l.known.arrays.contains(name)) pack(l, name);
  }
}

}  // namespace dagaz::emit
