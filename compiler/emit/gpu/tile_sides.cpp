#include "emit/gpu/tile_sides.h"

#include "emit/gpu/kernels.h"
#include "emit/points.h"

namespace dagaz::emit {

// Lines of what is staged are of a row or point each.
static bool has_lines_of_elements(const ir::Contraction& plan, const TileSide& side) {
  return plan.unit != ir::MatrixUnit::none && side.is_along_sum();
}

TileSides::TileSides(Context& c, const std::vector<ir::SpaceDimension>& space,
                     const plan::SumParts& parts, const ir::Contraction& plan)
    : Emitter(c), c_(c), parts_(parts), plan_(plan) {
  plan::ProductSides sides = plan::sides_of(plan, space, parts.elements, c.names());
  static_cast<plan::ProductSide&>(rows_) = std::move(sides.rows);
  static_cast<plan::ProductSide&>(points_) = std::move(sides.points);
  rows_.width = rows_.panel * plan.most_rows;
  points_.width = points_.panel * plan.most_points;
  for (TileSide* side : {&rows_, &points_}) {
    const bool by_elements = has_lines_of_elements(plan, *side);
    side->lines = by_elements ? side->width : plan.depth;
    side->pitch =
        (by_elements ? plan.depth : side->width) + (side == &rows_ ? plan.row_gap : plan.point_gap);
    side->copies = side == &rows_ ? plan.row_copies : plan.point_copies;
    side->together = side->copies;
    if (side->copies == 0) side->together = plan.unit == ir::MatrixUnit::f16 ? 2 : 1;
    side->elements = plan::elements_of(side->body, side->values, c.names());
  }
  combined_ = std::move(sides.combined);
  for (const plan::SumLevel& level : parts.levels) level_extents_.push_back(level.width);
}

std::int64_t TileSides::lay_out() {
  std::int64_t all = 0;
  for (TileSide* side : {&rows_, &points_}) {
    side->extent = product(extents_of(side->dimensions));
    for (const NameId value : side->values) {
      side->offsets.push_back(all);
      const std::int64_t bytes =
          plan_.stages * side->lines * side->pitch * ir::byte_size(names().type(value).element);
      all += (bytes + 15) / 16 * 16;
    }
  }
  elements_ = product(level_extents_);
  return all;
}

Operand TileSides::tiles_of(const TileSide& side) {
  return divide_up(side.extent, ir::i64_operand(side.width));
}

// ---------------------------------------------------------------- a block

void TileSides::start(const TilePlace& at, const Operand& begin, const Operand& end) {
  const Operand thread = read_special(c_, Special::thread_index);
  rows_.thread = divide(thread, ir::i64_operand(plan_.most_points));
  points_.thread = remainder(thread, ir::i64_operand(plan_.most_points));
  rows_.first = mul(at.row, ir::i64_operand(rows_.width));
  points_.first = mul(at.point, ir::i64_operand(points_.width));
  begin_ = begin;
  end_ = end;
}

void TileSides::place(TileSide& side) {
  side.staged.clear();
  side.written.clear();
  const Operand one = ir::i64_operand(1);
  const bool by_elements = has_lines_of_elements(plan_, side);
  const auto place_at = [&](NameId block, std::int64_t together) {
    const Operand line = ir::i64_operand(side.pitch / together);
    return Place{block,
                 ir::i64_operand(0),
                 {mul(line, ir::i64_operand(side.lines)), by_elements ? one : line,
                  by_elements ? line : one, one},
                 one,
                 Space::shared};
  };
  for (const std::int64_t offset : side.offsets) {
    const NameId block = block_variable("staged");
    emit(SharedMemory{block, ir::i64_operand(offset)});
    side.staged.push_back(place_at(block, 1));
    side.written.push_back(place_at(block, side.together));
  }
}

Operand TileSides::start_of(const Operand& chunk) {
  return add(begin_, mul(chunk, ir::i64_operand(plan_.depth)));
}

Operand TileSides::is_inside(const TileSide& side) {
  return less(add(side.first, ir::i64_operand(side.width - 1)), side.extent);
}

void TileSides::bind(const TileSide& side, const Operand& number) {
  const std::vector<Operand> at = unflatten(number, extents_of(side.dimensions));
  for (std::size_t d = 0; d < at.size(); ++d) move(side.dimensions[d].index.name, at[d]);
}

void TileSides::bind_element(const Operand& number) {
  const std::vector<Operand> at = unflatten(number, level_extents_);
  for (std::size_t l = 0; l < at.size(); ++l) move(parts_.levels[l].element, at[l]);
}

}  // namespace dagaz::emit
