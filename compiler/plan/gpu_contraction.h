// Products of matrices and what is like them (contraction.h) on a GPU: sums, by any operator whose
// order is free, over elements that a row and a point of a segmented reduction's space share.
//
// A block of threads has a tile of the sums, and each thread a part of it in registers.  The values
// of rows and of points that the tile needs are staged in shared memory for some elements of the
// sum at a time, so that each is read from global memory once for a tile instead of once for a sum
// (Nath, Tomov and Dongarra, "An improved MAGMA GEMM for Fermi GPUs", 2010).
//
// The strategy is the CPU's: a panel of `block_rows` by `columns` sums is a thread's, and a block
// has `most_rows` by `most_points` of them, one for each of its threads.
#pragma once

#include <vector>

#include "plan/surroundings.h"

namespace dagaz::plan {

/// Versions in tiles, the larger ones first; none where the reduction is no product.
std::vector<ir::Version> gpu_contraction(const ir::SegmentedReduce& e, const Surroundings& around);

}  // namespace dagaz::plan
