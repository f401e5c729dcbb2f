// Maps on a GPU whose points add to rows of a few elements in loops, as gradients with respect to
// tables do:
//
//   for each point: for some iterations: table[i, j] += six numbers
//
// An instruction in which 32 threads add to 32 places is 32 sectors to the cache that adds, also
// where each thread's next ones go to the same sectors.  Warps go through such loops together,
// hold what they add to such a row in registers, and groups of threads hand it to each other: those
// side by side add to elements side by side, whichever of them computed what is added.
#pragma once

#include <optional>

#include "ir/program.h"

namespace dagaz::plan {

class Surroundings;

/// Which rows threads hold, and groups of how many hand them on; none where nothing is gained.
std::optional<ir::Version> handed_rows(const ir::SegmentedMap& e, const Surroundings& around);

}  // namespace dagaz::plan
