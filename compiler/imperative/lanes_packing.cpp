// Rows of an array that belong to the points of a block lie apart in memory; where they are read
// again and again (by several rows of the block, or in a loop around the loop that reads them),
// they are first copied to where the points are neighbours.  What the points make is likewise
// written where they are neighbours, and then copied to where it belongs.
#include "imperative/lanes.h"

#include <algorithm>

namespace dagaz::imperative {

namespace {

bool is_view(const ir::Operation& operation) {
  return as<ir::Index>(operation) || as<ir::Slice>(operation) || as<ir::Permute>(operation);
}

}  // namespace

void Lanes::pack(NameId name) {
  const ir::Type type = low_.names().type(name);
  const LaneArray source = known_.arrays.at(name);
  ir::Type packed = type;
  packed.shape.push_back(ir::i64_operand(block_.span()));
  LaneArray target;
  target.place = low_.private_array(packed, "packed");
  target.place.strides.pop_back();
  target.offset.by_point = true;
  target.offset.affine = Affine{zero(), zero(), ir::i64_operand(1)};
  copy_rows(target, source, type);
  before_packing_.insert_or_assign(name, source);
  known_.arrays.insert_or_assign(name, target);
}

// Copies rows to where their points are neighbours, in squares of as many elements as there are
// lanes where each row is one stretch of memory: these cross over in registers.
void Lanes::copy_rows(const LaneArray& target, const LaneArray& source, const ir::Type& type) {
  const bool is_stretch = source.offset.affine && is_constant(source.place.strides[0], 1);
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
        const Affine& affine = *source.offset.affine;
        const Operand point = ir::i64_operand(column * block_.width + lane);
        const Operand row = low_.add(affine.base, low_.mul(affine.point_step, point));
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
                             turned.targets[static_cast<std::size_t>(k)].name, type.element});
      }
    }
  });
  const Operand done = low_.mul(squares, width);
  low_.thread_loop(low_.sub(count, done), false, [&](const Operand& i) {
    const LaneScalar element = uniform(low_.add(done, i));
    store(part_of(target, {element}), load(part_of(source, {element}), type.element));
  });
}

namespace {

bool are_neighbours(const LaneArray& array) {
  return array.offset.affine && is_constant(array.offset.affine->point_step, 1);
}

/// Each point has its own stretch of memory.
bool are_stretches(const LaneArray& array) {
  return array.offset.affine && !are_neighbours(array) &&
         is_constant(array.place.strides.back(), 1);
}

}  // namespace

// Whether to collect rows of results before they go to `target`.
bool Lanes::is_collected(const LaneArray& target, const ir::Type& type) const {
  std::int64_t bytes = ir::byte_size(type.element) * block_.points();
  for (const Operand& size : type.shape) {
    if (!size.is_constant()) return false;
    bytes *= ir::integer_value(size.constant());
  }
  return are_stretches(target) && turns_over(type) && bytes <= low_.settings.collected_bytes;
}

// Whether rows are long enough for squares.
bool Lanes::turns_over(const ir::Type& type) const {
  const Operand& length = type.shape.back();
  return length.is_constant() && ir::integer_value(length.constant()) >= block_.width &&
         ir::byte_size(type.element) >= 4;
}

// Copies one row of each point from where the points are neighbours to where each has a stretch, in
// squares; the last one is moved back.
bool Lanes::turn_over(const LaneArray& target, const LaneArray& source, const ir::Type& type) {
  if (type.rank() != 1 || !turns_over(type)) return false;
  if (!are_neighbours(source) || !are_stretches(target)) return false;
  const Operand width = ir::i64_operand(block_.width);
  const Operand last = low_.sub(type.shape[0], width);
  low_.thread_loop(low_.divide_up(type.shape[0], width), false, [&](const Operand& square) {
    const Operand first = low_.minimum(low_.mul(square, width), last);
    const std::int64_t rows = target.offset.by_row ? block_.rows : 1;
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t column = 0; column < block_.columns; ++column) {
        turn_square(target, source, {first, row, column}, type.element);
      }
    }
  });
  return true;
}

void Lanes::turn_square(const LaneArray& target, const LaneArray& source, const Square& square,
                        ScalarType type) {
  const auto start = [&](const LaneArray& array, std::int64_t lane, const Operand& element) {
    const Affine& affine = *array.offset.affine;
    const std::int64_t point = square.column * block_.width + lane;
    const std::int64_t row = array.offset.by_row ? square.row : 0;
    const Operand moved = low_.add(low_.mul(affine.row_step, ir::i64_operand(row)),
                                   low_.mul(affine.point_step, ir::i64_operand(point)));
    return low_.add(low_.add(affine.base, moved), low_.mul(element, array.place.strides[0]));
  };
  TransposeLanes turned;
  for (std::int64_t k = 0; k < block_.width; ++k) {
    const NameId points = lane_variable("points", type);
    const Operand element = low_.add(square.first, ir::i64_operand(k));
    low_.emit(LoadLanes{points, source.place.block, start(source, 0, element), ir::i64_operand(1),
                        type});
    turned.values.push_back(points);
    turned.targets.push_back(lane_variable("turned", type));
  }
  low_.emit(turned);
  for (std::int64_t lane = 0; lane < block_.width; ++lane) {
    const NameId column = turned.targets[static_cast<std::size_t>(lane)];
    low_.emit(StoreLanes{target.place.block, start(target, lane, square.first),
                         ir::i64_operand(1), column, type});
  }
}

void Lanes::prepare(const ir::Body& body, const std::optional<NameId>& rows) {
  prepared_.clear();
  if (plan_.packed.empty()) return;
  std::unordered_set<NameId> later;
  if (rows) later.insert(*rows);
  for (const ir::Statement& one : body.statements) {
    const auto names = ir::free_names(one, low_.names());
    const bool waits = std::any_of(names.begin(), names.end(),
                                   [&](NameId name) { return later.contains(name); });
    if (waits || !is_view(one.operation)) {
      for (const ir::Binder& result : one.results) later.insert(result.name);
      continue;
    }
    statement(one);
    const NameId name = one.results[0].name;
    prepared_.insert(name);
    const bool is_packed =
        std::find(plan_.packed.begin(), plan_.packed.end(), name) != plan_.packed.end();
    if (is_packed && known_.arrays.contains(name)) pack(name);
  }
}

}  // namespace dagaz::imperative
