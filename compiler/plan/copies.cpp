#include "plan/copies.h"

#include <algorithm>

namespace dagaz::plan {

static constexpr std::int64_t line_bytes = 64;  // of the caches, and of a row of a square

bool is_short(const ir::Settings& settings, const ir::Operand& count) {
  return count.is_constant() && ir::integer_value(count.constant()) <= settings.short_array;
}

bool can_cross_over(ir::ScalarType element) { return ir::byte_size(element) >= 4; }

bool can_turn_over(const ir::Type& type, std::int64_t width) {
  const ir::Operand& length = type.shape.back();
  return length.is_constant() && ir::integer_value(length.constant()) >= width &&
         can_cross_over(type.element);
}

std::optional<Squares> squares_for(const ir::Settings& settings, ir::ScalarType element) {
  if (settings.points != ir::PointsBy::tasks || !can_cross_over(element)) return std::nullopt;
  const std::int64_t lanes = line_bytes / ir::byte_size(element);
  const std::int64_t squares = std::max<std::int64_t>(settings.tile / (lanes * line_bytes), 1);
  const std::int64_t rows = std::min<std::int64_t>(squares, 4);
  return Squares{lanes, rows, squares / rows};
}

}  // namespace dagaz::plan
