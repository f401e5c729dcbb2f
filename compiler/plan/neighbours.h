// Maps whose points accumulate near themselves: how far apart points add to different elements.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "ir/program.h"

namespace dagaz::plan {

/// In steps of the outermost index; 0 where it is not known.  `host` are scalars that the host
/// computes, `iotas` arrays 0, 1, 2, ….
int distance_of_additions(const ir::SegmentedMap& map, const ir::Names& names,
                          const std::unordered_map<ir::NameId, ir::Scalar>& host,
                          const std::unordered_set<ir::NameId>& iotas);

}  // namespace dagaz::plan
