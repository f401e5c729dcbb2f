// Maps on a GPU whose points add to small arrays that all of them share, as gradients with respect
// to parameters do:
//
//   for each point: bins[nearest point] += …
//
// Atomic instructions of all threads on a few addresses wait for one another.  Where the arrays fit
// the shared memory of a block, each block adds to copies of its own, which it adds to the arrays
// at the end: what histograms do with their bins (plan/gpu.h), for points that add several numbers
// each.
#pragma once

#include <optional>

#include "plan/surroundings.h"

namespace dagaz::plan {

/// Whether an atomic instruction for each number combines what is added.
bool adds_numbers(ir::NameId accumulator, const Surroundings& around);

/// None where the map adds to nothing, or to something that a block can have no copy of.
std::optional<ir::Version> additions_in_blocks(const ir::SegmentedMap& e,
                                               const Surroundings& around);

}  // namespace dagaz::plan
