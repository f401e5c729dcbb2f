// Sums of elements that a map gives anyway, on a CPU.
//
//   (s, ts) = map (\i -> map (\j -> let t = … sums of many terms … in (t, t))), summing the first
//     =  let ts = map (\i -> map (\j -> …))  let s = sum (map sum ts)
//
// Where t is a sum over a window at (i, j) of what does not depend on i and j, as in a layer of
// convolutions, the windows are the points of a product, whose rows are filters, further out.  That
// runs in blocks only as a map of its own; beside it reading its sums once more is little.  Others
// are better off where they are: a point that makes a row in lanes has it in its cache.
#pragma once

#include "ir/names.h"
#include "ir/ops.h"

namespace dagaz::passes::flattening {

/// Sets such sums apart in `body` and all scopes inside, the innermost first.
void set_kept_sums_apart(ir::Body& body, ir::Names& names);

}  // namespace dagaz::passes::flattening
