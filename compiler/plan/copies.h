// What the settings of a program mean for a copy.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/program.h"
#include "ir/settings.h"

namespace dagaz::plan {

/// Whether an array is copied or written one element after another, not as a whole.
bool is_short(const ir::Settings& settings, const ir::Operand& count);

/// Whether elements can cross over between vectors in registers.
bool can_cross_over(ir::ScalarType element);
/// Whether rows of the type can be turned over in squares of `width` elements.
bool can_turn_over(const ir::Type& type, std::int64_t width);

/// Squares in which a copy crosses over where neighbours lie along another dimension than in what
/// is copied: `lanes` by `lanes` elements, `rows` by `columns` of them in a tile, which is about as
/// large as what blocks of lanes collect.
struct Squares {
  std::int64_t lanes;
  std::int64_t rows;  // along the dimension that is written
  std::int64_t columns;
};
/// Nothing where it is copied in another way.
std::optional<Squares> squares_for(const ir::Settings& settings, ir::ScalarType element);

}  // namespace dagaz::plan
