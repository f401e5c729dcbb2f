// Blocks of lanes as tasks of a CPU's threads.
//
// A task runs whole blocks.  Wide ones share more of what points read, but a map of few points, each
// of them much work, has fewer of these than there are threads.  There narrower blocks are better,
// of which there are more.
#pragma once

#include <vector>

#include "plan/lane_blocks.h"

namespace dagaz::plan {

/// `versions` of a map of the host, best first, so that wide blocks without rows are taken only
/// where there are as many as threads, or where all points are less than two tasks; narrower ones
/// of which there are more come after them.
std::vector<ir::Version> with_enough_blocks(const MapAt& at, std::vector<ir::Version> versions);

}  // namespace dagaz::plan
