// Products of matrices and what is like them (contraction.h) on a GPU: sums, by any operator whose
// order is free, over elements that a row and a point of a space share: of a segmented reduction,
// or of a map that makes something of each sum.
//
// A block of threads has a tile of the sums, and each thread a part of it in registers.  The values
// of rows and of points that the tile needs are staged in shared memory for some elements of the
// sum at a time, so that each is read from global memory once for a tile instead of once for a sum
// (Nath, Tomov and Dongarra, "An improved MAGMA GEMM for Fermi GPUs", 2010).
//
// The strategy is the CPU's: a panel of `block_rows` by `columns` sums is a thread's, and a block
// has `most_rows` by `most_points` of them, one for each of its threads.
//
// Where points have nothing but elements in common, as bodies that attract each other, there is one
// row: elements are staged for the points of the whole block, and what a point has of its own stays
// in its thread's registers.
#pragma once

#include <vector>

#include "plan/product_parts.h"
#include "plan/surroundings.h"

namespace dagaz::plan {

/// Versions in tiles, the larger ones first; none where the reduction is no product.
std::vector<ir::Version> gpu_contraction(const ir::SegmentedReduce& e, const Surroundings& around,
                                         ir::Names& names);
std::vector<ir::Version> gpu_contraction(const ir::SegmentedMap& e, const Surroundings& around,
                                         ir::Names& names);

/// Whether values are neighbours in memory along the sum, or along points.
ir::Packing packing_of(const SumParts& parts, const std::vector<ir::NameId>& values,
                       const Surroundings& around);

}  // namespace dagaz::plan
