// Scalars in lanes: arithmetic on them, variables, and what names mean.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "emit/lanes/lanes.h"

namespace dagaz::emit {

LaneScalar uniform(const Lanes& l, const Operand& operand);
LaneScalar scalar_of(const Lanes& l, const Operand& operand);
/// The operand itself, which must not differ between points.
Operand uniform_operand(const Lanes& l, const Operand& operand);
std::vector<Operand> uniform_shape(const Lanes& l, const std::vector<Operand>& shape);

/// One vector of a scalar, or what is the same for all its lanes.
Operand piece_of(Lanes& l, const LaneScalar& scalar, std::int64_t row, std::int64_t column);
Operand with_lanes(Lanes& l, const Operand& operand, ScalarType type);
NameId lane_variable(Lanes& l, std::string_view base, ScalarType type);
LaneScalar make_pieces(
    Lanes& l, ScalarType type, bool by_row, bool by_point,
    const std::function<Operand(std::int64_t row, std::int64_t column)>& piece_at);
LaneScalar apply(Lanes& l, ScalarOp op, ScalarType type, ScalarType result,
                 const std::vector<LaneScalar>& arguments);
LaneScalar add(Lanes& l, const LaneScalar& a, const LaneScalar& b);
LaneScalar times(Lanes& l, const LaneScalar& a, const Operand& factor);
/// Values of one row of a block, in a block without rows.
LaneScalar row_of(const Lanes& l, const LaneScalar& scalar, std::int64_t row);

LaneScalar new_variables(Lanes& l, ScalarType type, const LaneScalar& initial);
void set_variables(Lanes& l, const LaneScalar& variables, const LaneScalar& value);

void bind(Lanes& l, NameId name, const LaneScalar& scalar);
void bind(Lanes& l, NameId name, const LaneArray& array);
void bind(Lanes& l, NameId name, const LaneResult& result);
/// Binds an index of the space.
void bind_index(Lanes& l, NameId name, const Operand& base, bool along_rows, bool along_points);

}  // namespace dagaz::emit
