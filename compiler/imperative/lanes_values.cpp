// Values in lanes: arithmetic on them, arrays, memory.
//
// What is the same for all points of a row is computed once for the row, what is the same for all
// rows once for all.  An array that belongs to each point has the points of the block as
// innermost dimension, so that its elements are vectors in memory.
#include "imperative/lanes.h"

namespace dagaz::imperative {

LaneScalar Lanes::uniform(const Operand& operand) const {
  const ir::Type type = low_.names().type(operand);
  if (!type.is_scalar()) refuse("an array as a number");
  LaneScalar scalar;
  scalar.type = type.element;
  if (scalar.type == ScalarType::i64) {
    scalar.affine = Affine{operand};
  } else {
    scalar.pieces.assign(static_cast<std::size_t>(block_.rows * block_.columns), operand);
  }
  return scalar;
}

LaneScalar Lanes::scalar_of(const Operand& operand) const {
  if (operand.is_name()) {
    const auto found = known_.scalars.find(operand.name());
    if (found != known_.scalars.end()) return found->second;
  }
  return uniform(operand);
}

Operand Lanes::uniform_operand(const Operand& operand) const {
  if (operand.is_name() && known_.scalars.contains(operand.name())) {
    refuse("a size that differs between points");
  }
  return operand;
}

std::vector<Operand> Lanes::uniform_shape(const std::vector<Operand>& shape) const {
  for (const Operand& size : shape) uniform_operand(size);
  return shape;
}

NameId Lanes::lane_variable(std::string_view base, ScalarType type) {
  const ir::Type lanes = ir::array_of(type, {ir::i64_operand(block_.width)});
  const NameId name = low_.names().fresh(std::string(base), lanes);
  low_.record(name);
  return name;
}

Operand Lanes::with_lanes(const Operand& operand, ScalarType type) {
  if (operand.is_name() && lanes_of(low_.names().type(operand)) > 0) return operand;
  const NameId target = lane_variable("all", type);
  low_.move(target, operand);
  return target;
}

Operand Lanes::piece(const LaneScalar& scalar, std::int64_t row, std::int64_t column) {
  if (!scalar.affine) {
    // What does not differ between rows may be from before there were rows.
    const std::int64_t at = scalar.by_row ? row : 0;
    return scalar.pieces[static_cast<std::size_t>(at * block_.columns + column)];
  }
  const Affine& affine = *scalar.affine;
  const Operand at_row =
      low_.add(affine.base, low_.mul(affine.row_step, ir::i64_operand(scalar.by_row ? row : 0)));
  if (!scalar.by_point) return at_row;
  const Operand first =
      low_.add(at_row, low_.mul(affine.point_step, ir::i64_operand(column * block_.width)));
  const NameId numbers = lane_variable("lane", ScalarType::i64);
  low_.emit(LaneNumbers{numbers});
  const NameId steps = lane_variable("steps", ScalarType::i64);
  const NameId values = lane_variable("affine", ScalarType::i64);
  low_.emit(Assign{steps, ScalarOp::mul, ScalarType::i64, ScalarType::i64,
                   {numbers, affine.point_step}});
  low_.emit(Assign{values, ScalarOp::add, ScalarType::i64, ScalarType::i64, {steps, first}});
  return values;
}

LaneScalar Lanes::make(
    ScalarType type, bool by_row, bool by_point,
    const std::function<Operand(std::int64_t row, std::int64_t column)>& piece_at) {
  LaneScalar result;
  result.type = type;
  result.by_row = by_row && block_.rows > 1;
  result.by_point = by_point;
  for (std::int64_t row = 0; row < block_.rows; ++row) {
    for (std::int64_t column = 0; column < block_.columns; ++column) {
      const std::int64_t like_row = by_row ? row : 0;
      const std::int64_t like_column = by_point ? column : 0;
      if (like_row == row && like_column == column) {
        result.pieces.push_back(piece_at(row, column));
      } else {
        result.pieces.push_back(
            result.pieces[static_cast<std::size_t>(like_row * block_.columns + like_column)]);
      }
    }
  }
  if (result.is_uniform() && type == ScalarType::i64) return uniform(result.pieces[0]);
  return result;
}

// ---------------------------------------------------------------- arithmetic

// Sums, differences and uniform multiples of affine numbers are affine.
std::optional<LaneScalar> Lanes::apply_affine(ScalarOp op, const std::vector<LaneScalar>& x) {
  if (x.size() != 2 || !x[0].affine || !x[1].affine) return std::nullopt;
  const Affine& a = *x[0].affine;
  const Affine& b = *x[1].affine;
  LaneScalar result;
  result.by_row = x[0].by_row || x[1].by_row;
  result.by_point = x[0].by_point || x[1].by_point;
  if (op == ScalarOp::add) {
    result.affine = Affine{low_.add(a.base, b.base), low_.add(a.row_step, b.row_step),
                       low_.add(a.point_step, b.point_step)};
  } else if (op == ScalarOp::sub) {
    result.affine = Affine{low_.sub(a.base, b.base), low_.sub(a.row_step, b.row_step),
                       low_.sub(a.point_step, b.point_step)};
  } else if (op == ScalarOp::mul && (x[0].is_uniform() || x[1].is_uniform())) {
    const Affine& moving = x[0].is_uniform() ? b : a;
    const Operand factor = x[0].is_uniform() ? a.base : b.base;
    result.affine = Affine{low_.mul(moving.base, factor), low_.mul(moving.row_step, factor),
                       low_.mul(moving.point_step, factor)};
  } else {
    return std::nullopt;
  }
  return result;
}

LaneScalar Lanes::apply(ScalarOp op, ScalarType type, ScalarType result,
                        const std::vector<LaneScalar>& arguments) {
  if (type == ScalarType::i64) {
    if (auto affine = apply_affine(op, arguments)) return *affine;
  }
  bool by_row = false;
  bool by_point = false;
  for (const LaneScalar& argument : arguments) {
    by_row = by_row || argument.by_row;
    by_point = by_point || argument.by_point;
  }
  return make(result, by_row, by_point, [&](std::int64_t row, std::int64_t column) -> Operand {
    std::vector<Operand> operands;
    for (const LaneScalar& argument : arguments) operands.push_back(piece(argument, row, column));
    const NameId target = by_point ? lane_variable("v", result) : low_.variable("s", result);
    low_.emit(Assign{target, op, type, result, std::move(operands)});
    return target;
  });
}

LaneScalar Lanes::add(const LaneScalar& a, const LaneScalar& b) {
  return apply(ScalarOp::add, ScalarType::i64, ScalarType::i64, {a, b});
}

LaneScalar Lanes::times(const LaneScalar& a, const Operand& factor) {
  return apply(ScalarOp::mul, ScalarType::i64, ScalarType::i64, {a, uniform(factor)});
}

// ---------------------------------------------------------------- variables

LaneScalar Lanes::variables(ScalarType type, const LaneScalar& initial) {
  const LaneScalar result = make(type, true, true, [&](std::int64_t, std::int64_t) -> Operand {
    return lane_variable("acc", type);
  });
  move(result, initial);
  return result;
}

void Lanes::move(const LaneScalar& variables, const LaneScalar& value) {
  for (std::int64_t row = 0; row < block_.rows; ++row) {
    for (std::int64_t column = 0; column < block_.columns; ++column) {
      low_.move(piece(variables, row, column).name(), piece(value, row, column));
    }
  }
}

void Lanes::bind(NameId name, const LaneScalar& scalar) {
  if (!scalar.is_uniform()) {
    known_.scalars.insert_or_assign(name, scalar);
  } else if (piece(scalar, 0, 0) != Operand(name)) {
    low_.move(name, piece(scalar, 0, 0));
  }
}

void Lanes::bind(NameId name, const LaneArray& array) {
  if (!array.offset.is_uniform()) {
    known_.arrays.insert_or_assign(name, array);
    return;
  }
  Place place = array.place;
  place.offset = piece(array.offset, 0, 0);
  low_.bind(name, std::move(place));
}

void Lanes::bind(NameId name, const Result& result) {
  if (result.scalar) {
    bind(name, *result.scalar);
  } else if (result.array) {
    bind(name, *result.array);
  }
}

void Lanes::bind_index(NameId name, const Operand& base, bool along_rows, bool along_points) {
  LaneScalar index;
  index.by_row = along_rows;
  index.by_point = along_points;
  index.affine = Affine{base, ir::i64_operand(along_rows ? 1 : 0),
                    ir::i64_operand(along_points ? 1 : 0)};
  bind(name, index);
}

// ---------------------------------------------------------------- arrays

LaneArray Lanes::array_of(NameId name) const {
  const auto found = known_.arrays.find(name);
  if (found != known_.arrays.end()) return found->second;
  if (!low_.arrays.has_place(name)) refuse("an array without memory");
  const Place& place = low_.place_of(name);
  return LaneArray{place, uniform(place.offset)};
}

LaneArray Lanes::part_of(const LaneArray& array, const std::vector<LaneScalar>& indices) {
  LaneArray part = array;
  for (std::size_t k = 0; k < indices.size(); ++k) {
    part.offset = add(part.offset, times(indices[k], array.place.strides[k]));
  }
  const auto begin = part.place.strides.begin();
  part.place.strides.erase(begin, begin + static_cast<std::ptrdiff_t>(indices.size()));
  return part;
}

LaneArray Lanes::part(const Place& target, const std::vector<NameId>& indices) {
  std::vector<LaneScalar> at;
  for (const NameId index : indices) at.push_back(scalar_of(index));
  return part_of(LaneArray{target, uniform(target.offset)}, at);
}

/// Where the points of the block are neighbours.
LaneScalar Lanes::own_points() const {
  LaneScalar offset;
  offset.by_row = block_.rows > 1;
  offset.by_point = true;
  offset.affine = Affine{zero(), ir::i64_operand(offset.by_row ? block_.span() : 0),
                     ir::i64_operand(1)};
  return offset;
}

LaneArray Lanes::new_array(const ir::Type& type, std::string_view base) {
  ir::Type all = type;
  all.shape = uniform_shape(type.shape);
  all.shape.push_back(ir::i64_operand(block_.points()));
  const NameId block = low_.private_array(all, base).block;
  LaneArray array;
  array.place = row_major(low_, block, zero(), type.shape, ir::i64_operand(block_.points()));
  array.offset = own_points();
  return array;
}

LaneScalar Lanes::load(const LaneArray& element, ScalarType type) {
  const LaneScalar& offset = element.offset;
  const NameId block = element.place.block;
  return make(type, offset.by_row, offset.by_point,
              [&](std::int64_t row, std::int64_t column) -> Operand {
    if (!offset.by_point) {
      const NameId target = low_.variable("x", type);
      low_.emit(Load{target, block, piece(offset, row, column), type});
      return target;
    }
    const NameId target = lane_variable("x", type);
    if (!offset.affine) {
      low_.emit(LoadLanes{target, block, piece(offset, row, column), ir::i64_operand(1), type});
      return target;
    }
    LaneScalar first = offset;
    first.by_point = false;
    const Operand ahead =
        low_.mul(offset.affine->point_step, ir::i64_operand(column * block_.width));
    low_.emit(LoadLanes{target, block, low_.add(piece(first, row, column), ahead),
                        offset.affine->point_step, type});
    return target;
  });
}

void Lanes::store(const LaneArray& element, const LaneScalar& value) {
  const LaneScalar& offset = element.offset;
  const NameId block = element.place.block;
  if (!offset.by_point) refuse("a store to one place for all points");
  const std::int64_t rows = offset.by_row ? block_.rows : 1;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < block_.columns; ++column) {
      const Operand stored = with_lanes(piece(value, row, column), value.type);
      if (!offset.affine) {
        low_.emit(StoreLanes{block, piece(offset, row, column), ir::i64_operand(1), stored,
                             value.type});
        continue;
      }
      LaneScalar first = offset;
      first.by_point = false;
      const Operand ahead =
          low_.mul(offset.affine->point_step, ir::i64_operand(column * block_.width));
      low_.emit(StoreLanes{block, low_.add(piece(first, row, column), ahead),
                           offset.affine->point_step, stored, value.type});
    }
  }
}

void Lanes::loop(const Operand& width, const std::function<void(Operand)>& body) {
  low_.thread_loop(uniform_operand(width), false, body);
}

void Lanes::copy(const LaneArray& target, const LaneArray& source, const ir::Type& type) {
  if (type.shape.empty()) {
    store(target, load(source, type.element));
    return;
  }
  if (turn_over(target, source, type)) return;
  low_.thread_loop(uniform_operand(type.shape[0]), false, [&](const Operand& i) {
    copy(part_of(target, {uniform(i)}), part_of(source, {uniform(i)}), ir::row_of(type));
  });
}

void Lanes::put(const LaneArray& target, const Result& result, const ir::Type& type) {
  if (result.scalar) {
    store(target, *result.scalar);
  } else if (result.array->place.block != target.place.block) {
    copy(target, *result.array, type);
  }
}

/// Every point's value, in an array of the thread's own.
Place Lanes::spill(const LaneScalar& scalar) {
  const ir::Type type = ir::array_of(scalar.type, {ir::i64_operand(block_.points())});
  const Place place = low_.private_array(type, "spill");
  for (std::int64_t row = 0; row < block_.rows; ++row) {
    for (std::int64_t column = 0; column < block_.columns; ++column) {
      const std::int64_t at = row * block_.span() + column * block_.width;
      low_.emit(StoreLanes{place.block, ir::i64_operand(at), ir::i64_operand(1),
                           with_lanes(piece(scalar, row, column), scalar.type), scalar.type});
    }
  }
  return place;
}

}  // namespace dagaz::imperative
