// Which of the two ways that flattening offers for a nest a GPU takes: whole, or distributed.
//
// Flattening takes the nest whole where its points fill the device, a thread each.  Where fewer do,
// it is still taken whole if teams of threads run its rows in a block's memory (gpu_rows.h), or
// tiles its sums (gpu_contraction.h): what flat operations hand to each other is then neither
// written nor read.  But teams read the operands of products inside once for each point, and
// threads of a team what lies apart: where the flat way has such products in tiles, of so many
// terms that they take longer than further kernels to start, it is taken, unless blocks of points
// have them in tiles as well (gpu_row_blocks.h).  Otherwise the flat way runs only where the nest's
// teams and tiles do not, and has no version for where they would.
#pragma once

#include "ir/builder.h"

namespace dagaz::plan {

/// Makes the condition of `branch`, whose sides are planned and whose first is taken so far where
/// there are points for `resident` threads, the one that is meant, and drops versions of the other
/// that never run then.  `product_terms`: of a product for each of these threads, from which on it
/// runs in tiles.
void choose_whole_nest(ir::Branch& branch, const ir::Operand& resident, std::int64_t product_terms,
                       ir::Builder& builder);

}  // namespace dagaz::plan
