// The last blocks along a dimension share points with those before.  Where results lie in the place
// of what the points read, only the points that no block before has are stored.
#include "emit/lanes/remainder.h"

#include "emit/lanes/arrays.h"
#include "emit/lanes/values.h"
#include "emit/memory/elements.h"
#include "emit/thread/loops.h"

namespace dagaz::emit {

void store_remainder(Lanes& l, const LaneArray& target, const LaneScalar& value,
                     const Overlap& overlap) {
  if (!target.offset.affine) refuse("a result in place at any index");
  const Affine at = *target.offset.affine;
  const Operand is_whole = l.c.equal(l.c.add(overlap.rows, overlap.points), ir::i64_operand(0));
  l.c.branch(
      is_whole, [&] { store(l, target, value); },
      [&] {
        const Place values = spill(l, value);
        const Operand rows = l.c.sub(ir::i64_operand(l.block.rows), overlap.rows);
        const Operand points = l.c.sub(ir::i64_operand(l.block.span()), overlap.points);
        nested_loops(l.c, {rows, points}, [&](const std::vector<Operand>& left) {
          const Operand row = l.c.add(overlap.rows, left[0]);
          const Operand point = l.c.add(overlap.points, left[1]);
          const Operand from = l.c.add(l.c.mul(row, ir::i64_operand(l.block.span())), point);
          const Operand along_rows = l.c.add(at.base, l.c.mul(row, at.row_step));
          const Operand to = l.c.add(along_rows, l.c.mul(point, at.point_step));
          const Operand one = load(l.c, values, {from}, value.type, "x");
          l.c.emit(Store{target.place.block, to, one, value.type});
        });
      });
}

}  // namespace dagaz::emit
