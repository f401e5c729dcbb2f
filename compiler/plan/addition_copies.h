// Whether threads that add to the same arrays had better always have copies of these.
#pragma once

#include "ir/program.h"

namespace dagaz::plan {

/// Of a map that takes `operations` a point.
bool always_copies(const ir::SegmentedMap& map, const std::vector<ir::Product>& operations);

}  // namespace dagaz::plan
