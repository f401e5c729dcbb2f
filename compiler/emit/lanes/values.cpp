// What is the same for all points of a row is computed once for the row, what is the same for all
// rows once for all.
#include "emit/lanes/values.h"

namespace dagaz::emit {

LaneScalar uniform(const Lanes& l, const Operand& operand) {
  const ir::Type type = l.c.names().type(operand);
  if (!type.is_scalar()) refuse("an array as a number");
  LaneScalar scalar;
  scalar.type = type.element;
  if (scalar.type == ScalarType::i64) {
    scalar.affine = Affine{operand};
  } else {
    scalar.pieces.assign(static_cast<std::size_t>(l.block.rows * l.block.columns), operand);
  }
  return scalar;
}

LaneScalar scalar_of(const Lanes& l, const Operand& operand) {
  if (operand.is_name()) {
    const auto found = l.known.scalars.find(operand.name());
    if (found != l.known.scalars.end()) return found->second;
  }
  return uniform(l, operand);
}

Operand uniform_operand(const Lanes& l, const Operand& operand) {
  if (operand.is_name() && l.known.scalars.contains(operand.name())) {
    refuse("a size that differs between points");
  }
  return operand;
}

std::vector<Operand> uniform_shape(const Lanes& l, const std::vector<Operand>& shape) {
  for (const Operand& size : shape) uniform_operand(l, size);
  return shape;
}

NameId lane_variable(Lanes& l, std::string_view base, ScalarType type) {
  const ir::Type lanes = ir::array_of(type, {ir::i64_operand(l.block.width)});
  const NameId name = l.c.names().fresh(std::string(base), lanes);
  l.c.record(name);
  return name;
}

Operand with_lanes(Lanes& l, const Operand& operand, ScalarType type) {
  if (operand.is_name() && lanes_of(l.c.names().type(operand)) > 0) return operand;
  const NameId target = lane_variable(l, "all", type);
  l.c.move(target, operand);
  return target;
}

Operand piece_of(Lanes& l, const LaneScalar& scalar, std::int64_t row, std::int64_t column) {
  if (!scalar.affine) {
    // What does not differ between rows may be from before there were rows.
    const std::int64_t at = scalar.by_row ? row : 0;
    return scalar.pieces[static_cast<std::size_t>(at * l.block.columns + column)];
  }
  const Affine& affine = *scalar.affine;
  const Operand at_row =
      l.c.add(affine.base, l.c.mul(affine.row_step, ir::i64_operand(scalar.by_row ? row : 0)));
  if (!scalar.by_point) return at_row;
  const Operand first =
      l.c.add(at_row, l.c.mul(affine.point_step, ir::i64_operand(column * l.block.width)));
  const NameId numbers = lane_variable(l, "lane", ScalarType::i64);
  l.c.emit(LaneNumbers{numbers});
  const NameId steps = lane_variable(l, "steps", ScalarType::i64);
  const NameId values = lane_variable(l, "affine", ScalarType::i64);
  l.c.emit(
      Assign{steps, ScalarOp::mul, ScalarType::i64, ScalarType::i64, {numbers, affine.point_step}});
  l.c.emit(Assign{values, ScalarOp::add, ScalarType::i64, ScalarType::i64, {steps, first}});
  return values;
}

LaneScalar make_pieces(
    Lanes& l, ScalarType type, bool by_row, bool by_point,
    const std::function<Operand(std::int64_t row, std::int64_t column)>& piece_at) {
  LaneScalar result;
  result.type = type;
  result.by_row = by_row && l.block.rows > 1;
  result.by_point = by_point;
  for (std::int64_t row = 0; row < l.block.rows; ++row) {
    for (std::int64_t column = 0; column < l.block.columns; ++column) {
      const std::int64_t like_row = by_row ? row : 0;
      const std::int64_t like_column = by_point ? column : 0;
      if (like_row == row && like_column == column) {
        result.pieces.push_back(piece_at(row, column));
      } else {
        result.pieces.push_back(
            result.pieces[static_cast<std::size_t>(like_row * l.block.columns + like_column)]);
      }
    }
  }
  if (result.is_uniform() && type == ScalarType::i64) return uniform(l, result.pieces[0]);
  return result;
}

// ---------------------------------------------------------------- arithmetic

// Sums, differences and uniform multiples of affine numbers are affine.
static std::optional<LaneScalar> apply_affine(Lanes& l, ScalarOp op,
                                              const std::vector<LaneScalar>& x) {
  if (x.size() != 2 || !x[0].affine || !x[1].affine) return std::nullopt;
  const Affine& a = *x[0].affine;
  const Affine& b = *x[1].affine;
  LaneScalar result;
  result.by_row = x[0].by_row || x[1].by_row;
  result.by_point = x[0].by_point || x[1].by_point;
  if (op == ScalarOp::add) {
    result.affine = Affine{l.c.add(a.base, b.base), l.c.add(a.row_step, b.row_step),
                           l.c.add(a.point_step, b.point_step)};
  } else if (op == ScalarOp::sub) {
    result.affine = Affine{l.c.sub(a.base, b.base), l.c.sub(a.row_step, b.row_step),
                           l.c.sub(a.point_step, b.point_step)};
  } else if (op == ScalarOp::mul && (x[0].is_uniform() || x[1].is_uniform())) {
    const Affine& moving = x[0].is_uniform() ? b : a;
    const Operand factor = x[0].is_uniform() ? a.base : b.base;
    result.affine = Affine{l.c.mul(moving.base, factor), l.c.mul(moving.row_step, factor),
                           l.c.mul(moving.point_step, factor)};
  } else {
    return std::nullopt;
  }
  return result;
}

LaneScalar apply(Lanes& l, ScalarOp op, ScalarType type, ScalarType result,
                 const std::vector<LaneScalar>& arguments) {
  if (type == ScalarType::i64) {
    if (auto affine = apply_affine(l, op, arguments)) return *affine;
  }
  bool by_row = false;
  bool by_point = false;
  for (const LaneScalar& argument : arguments) {
    by_row = by_row || argument.by_row;
    by_point = by_point || argument.by_point;
  }
  return make_pieces(
      l, result, by_row, by_point, [&](std::int64_t row, std::int64_t column) -> Operand {
        std::vector<Operand> operands;
        for (const LaneScalar& argument : arguments)
          operands.push_back(piece_of(l, argument, row, column));
        const NameId target = by_point ? lane_variable(l, "v", result) : l.c.variable("s", result);
        l.c.emit(Assign{target, op, type, result, std::move(operands)});
        return target;
      });
}

LaneScalar add(Lanes& l, const LaneScalar& a, const LaneScalar& b) {
  return apply(l, ScalarOp::add, ScalarType::i64, ScalarType::i64, {a, b});
}

LaneScalar times(Lanes& l, const LaneScalar& a, const Operand& factor) {
  return apply(l, ScalarOp::mul, ScalarType::i64, ScalarType::i64, {a, uniform(l, factor)});
}

LaneScalar row_of(const Lanes& l, const LaneScalar& scalar, std::int64_t row) {
  LaneScalar result = scalar;
  result.by_row = false;
  if (!scalar.by_row) return result;
  if (scalar.affine) {
    result.affine->base =
        l.c.add(scalar.affine->base, l.c.mul(scalar.affine->row_step, ir::i64_operand(row)));
    return result;
  }
  const auto first = scalar.pieces.begin() + static_cast<std::ptrdiff_t>(row * l.block.columns);
  result.pieces.assign(first, first + static_cast<std::ptrdiff_t>(l.block.columns));
  return result;
}

// ---------------------------------------------------------------- variables

LaneScalar new_variables(Lanes& l, ScalarType type, const LaneScalar& initial) {
  const LaneScalar result = make_pieces(
      l, type, true, true,
      [&](std::int64_t, std::int64_t) -> Operand { return lane_variable(l, "acc", type); });
  set_variables(l, result, initial);
  return result;
}

void set_variables(Lanes& l, const LaneScalar& variables, const LaneScalar& value) {
  for (std::int64_t row = 0; row < l.block.rows; ++row) {
    for (std::int64_t column = 0; column < l.block.columns; ++column) {
      l.c.move(piece_of(l, variables, row, column).name(), piece_of(l, value, row, column));
    }
  }
}

void bind(Lanes& l, NameId name, const LaneScalar& scalar) {
  if (!scalar.is_uniform()) {
    l.known.scalars.insert_or_assign(name, scalar);
  } else if (piece_of(l, scalar, 0, 0) != Operand(name)) {
    l.c.move(name, piece_of(l, scalar, 0, 0));
  }
}

void bind(Lanes& l, NameId name, const LaneArray& array) {
  if (!array.offset.is_uniform()) {
    l.known.arrays.insert_or_assign(name, array);
    return;
  }
  Place place = array.place;
  place.offset = piece_of(l, array.offset, 0, 0);
  l.c.arrays.bind(name, std::move(place));
}

void bind(Lanes& l, NameId name, const LaneResult& result) {
  if (result.scalar) {
    bind(l, name, *result.scalar);
  } else if (result.array) {
    bind(l, name, *result.array);
  }
}

void bind_index(Lanes& l, NameId name, const Operand& base, bool along_rows, bool along_points) {
  LaneScalar index;
  index.by_row = along_rows;
  index.by_point = along_points;
  index.affine =
      Affine{base, ir::i64_operand(along_rows ? 1 : 0), ir::i64_operand(along_points ? 1 : 0)};
  bind(l, name, index);
}

}  // namespace dagaz::emit
