// Arrays that belong to the points of a block and lie apart as wholes: a matrix for each point of
// the innermost dimension, read by all points of the others.  Where the host can, they are laid out
// again before the blocks start, with the points innermost, so that the points of a vector are
// neighbours.  (Rows of one dimension are packed block by block instead: packing.cpp.)
#include "emit/lanes/layout.h"

#include <algorithm>

#include "emit/memory/allocation.h"
#include "emit/memory/elements.h"

namespace dagaz::emit {

LaneArray laid_out(Context& c, NameId array) {
  const ir::Type type = c.names().type(array);
  ir::Type turned = type;
  std::rotate(turned.shape.begin(), turned.shape.begin() + 1, turned.shape.end());
  std::vector<int> back = {static_cast<int>(type.rank()) - 1};
  for (int k = 0; k + 1 < static_cast<int>(type.rank()); ++k) back.push_back(k);
  const Place target = permuted(new_array(c, turned, "laid_out"), back);
  copy(c, target, c.arrays.place_of(array), type);
  LaneScalar offset;
  offset.affine = Affine{target.offset};
  return {target, offset};
}

}  // namespace dagaz::emit
