// The last blocks along a dimension share points with those before.  Where results lie in the place
// of what the points read, only the points that no block before has are stored.
#include "imperative/lanes.h"

namespace dagaz::imperative {

void Lanes::store_remainder(const LaneArray& target, const LaneScalar& value,
                            const Shared& shared) {
  if (!target.offset.affine) refuse("a result in place at any index");
  const Affine at = *target.offset.affine;
  const Operand is_whole = low_.equal(low_.add(shared.rows, shared.points), zero());
  low_.branch(is_whole, [&] { store(target, value); }, [&] {
    const Place values = spill(value);
    const Operand rows = low_.sub(ir::i64_operand(block_.rows), shared.rows);
    const Operand points = low_.sub(ir::i64_operand(block_.span()), shared.points);
    low_.nested_loops({rows, points}, [&](const std::vector<Operand>& left) {
      const Operand row = low_.add(shared.rows, left[0]);
      const Operand point = low_.add(shared.points, left[1]);
      const Operand from = low_.add(low_.mul(row, ir::i64_operand(block_.span())), point);
      const Operand along_rows = low_.add(at.base, low_.mul(row, at.row_step));
      const Operand to = low_.add(along_rows, low_.mul(point, at.point_step));
      const Operand one = low_.load(values, {from}, value.type, "x");
      low_.emit(Store{target.place.block, to, one, value.type});
    });
  });
}

}  // namespace dagaz::imperative
