// Values of rows or of points go to panels, computed on the way: [panel][element][row or point].
// A panel is written as it will be read.  Memory whose neighbours are elements is read in vectors
// of these, which cross over in registers.
#include "emit/contraction/panels.h"

#include <algorithm>

#include "emit/lanes/arrays.h"
#include "emit/lanes/statements.h"
#include "emit/lanes/values.h"
#include "emit/memory/allocation.h"
#include "emit/thread/loops.h"

namespace dagaz::emit {

/// Room for the values of so many panels.  Vectors that cross over are stored whole: the last ones
/// may reach beyond a panel.
void ProductPanels::hold(Side& side, const Operand& panels) {
  const Operand size = c_.mul(c_.mul(panels, length_), ir::i64_operand(side.panel));
  const Operand room = c_.add(size, ir::i64_operand(2 * std::int64_t{plan_.crossing}));
  side.held.clear();
  for (const NameId value : side.values) {
    side.held.push_back(
        private_array(c_, ir::array_of(c_.names().type(value).element, {room}), "panels"));
  }
}

/// The first row or point of a panel; the last panel is moved back.
Operand ProductPanels::start_of(const Side& side, const Operand& panel) {
  const Operand width = ir::i64_operand(side.panel);
  return c_.minimum(c_.mul(panel, width), c_.sub(side.dimension().extent, width));
}

void ProductPanels::pack(const Side& side, const Range& panels, const Piece& piece) {
  if (side.packing == ir::Packing::by_points) {
    pack_by_points(side, panels, piece);
    return;
  }
  thread_loop(c_, panels.count, false, [&](const Operand& p) {
    const Operand start = start_of(side, c_.add(panels.first, p));
    const Operand base = start_of_panel(side, p);
    if (side.packing == ir::Packing::by_elements) {
      pack_by_elements(side, start, base, piece);
    } else {
      pack_singly(side, start, base, ir::i64_operand(0), piece);
    }
  });
}

/// Where the values of panel `number` among those that are held begin.
Operand ProductPanels::start_of_panel(const Side& side, const Operand& number) {
  return c_.mul(c_.mul(number, length_), ir::i64_operand(side.panel));
}

// An element goes to all panels before the next: points of neighbouring panels are neighbours, too.
void ProductPanels::pack_by_points(const Side& side, const Range& panels, const Piece& piece) {
  ir::LaneBlocks shape = shape_;
  shape.block_rows = 1;
  thread_loop(c_, piece.length, false, [&](const Operand& k) {
    thread_loop(c_, panels.count, false, [&](const Operand& p) {
      Lanes lanes(c_, shape);
      const Operand start = start_of(side, c_.add(panels.first, p));
      bind_index(lanes, side.dimension().index.name, start, false, true);
      bind_levels(lanes, uniform(lanes, c_.add(piece.start, k)));
      const std::vector<LaneResult> values = emit_body(lanes, side.body, {});
      for (std::size_t v = 0; v < values.size(); ++v) {
        LaneArray to;
        to.place.block = side.held[v].block;
        to.offset.by_point = true;
        to.offset.affine =
            Affine{c_.add(start_of_panel(side, p), c_.mul(k, ir::i64_operand(side.panel))),
                   ir::i64_operand(0), ir::i64_operand(1)};
        store(lanes, to, *values[v].scalar);
      }
    });
  });
}

// Elements from `first` of the piece on.
void ProductPanels::pack_singly(const Side& side, const Operand& start, const Operand& base,
                                const Operand& first, const Piece& piece) {
  ir::LaneBlocks shape;
  shape.block_rows = static_cast<int>(side.panel);
  thread_loop(c_, c_.sub(piece.length, first), false, [&](const Operand& i) {
    const Operand k = c_.add(first, i);
    Lanes lanes(c_, shape);
    bind_index(lanes, side.dimension().index.name, start, side.panel > 1, false);
    bind_levels(lanes, uniform(lanes, c_.add(piece.start, k)));
    const std::vector<LaneResult> values = emit_body(lanes, side.body, {});
    const Operand at = c_.add(base, c_.mul(k, ir::i64_operand(side.panel)));
    for (std::size_t v = 0; v < values.size(); ++v) {
      const LaneScalar& value = *values[v].scalar;
      for (std::int64_t row = 0; row < side.panel; ++row) {
        c_.emit(Store{side.held[v].block, c_.add(at, ir::i64_operand(row)),
                      piece_of(lanes, value, row, 0), value.type});
      }
    }
  });
}

void ProductPanels::pack_by_elements(const Side& side, const Operand& start, const Operand& base,
                                     const Piece& piece) {
  const Operand width = ir::i64_operand(plan_.crossing);
  const Operand squares = c_.divide(c_.maximum(piece.length, ir::i64_operand(0)), width);
  thread_loop(c_, squares, false, [&](const Operand& square) {
    const Operand k = c_.mul(square, width);
    // The last rows cross over with some before them: vectors that reach beyond an element would
    // overwrite the next one's first rows.
    const std::int64_t rows = std::min<std::int64_t>(side.panel, plan_.crossing);
    for (std::int64_t next = 0; next < side.panel; next += plan_.crossing) {
      const std::int64_t row = std::min(next, side.panel - rows);
      ir::LaneBlocks shape;
      shape.block_rows = static_cast<int>(rows);
      shape.width = plan_.crossing;
      Lanes lanes(c_, shape);
      bind_index(lanes, side.dimension().index.name, c_.add(start, ir::i64_operand(row)),
                 shape.block_rows > 1, false);
      LaneScalar element;
      element.by_point = true;
      element.affine = Affine{c_.add(piece.start, k), ir::i64_operand(0), ir::i64_operand(1)};
      bind_levels(lanes, element);
      const std::vector<LaneResult> values = emit_body(lanes, side.body, {});
      const Operand at =
          c_.add(c_.add(base, c_.mul(k, ir::i64_operand(side.panel))), ir::i64_operand(row));
      for (std::size_t v = 0; v < values.size(); ++v) {
        cross_over(side, lanes, *values[v].scalar, side.held[v], at);
      }
    }
  });
  pack_singly(side, start, base, c_.mul(squares, width), piece);
}

/// Rows of elements become vectors of rows, `side.panel` apart.
void ProductPanels::cross_over(const Side& side, Lanes& lanes, const LaneScalar& values,
                               const Place& held, const Operand& at) {
  TransposeLanes crossing;
  const std::int64_t rows = lanes.block.rows;
  for (std::int64_t row = 0; row < plan_.crossing; ++row) {
    const Operand one = piece_of(lanes, values, std::min(row, rows - 1), 0);
    crossing.values.push_back(with_lanes(lanes, one, values.type));
    crossing.targets.push_back(lane_variable(lanes, "crossed", values.type));
  }
  c_.emit(crossing);
  for (std::int64_t k = 0; k < plan_.crossing; ++k) {
    c_.emit(StoreLanes{held.block, c_.add(at, ir::i64_operand(k * side.panel)), ir::i64_operand(1),
                       crossing.targets[static_cast<std::size_t>(k)].name, values.type});
  }
}

}  // namespace dagaz::emit
