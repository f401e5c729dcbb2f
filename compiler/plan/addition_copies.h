// What maps add to arrays, and whether threads that add to the same ones had better always have
// copies of these.
#pragma once

#include "ir/program.h"
#include "plan/surroundings.h"

namespace dagaz::plan {

/// Of a map that takes `operations` a point.
bool always_copies(const ir::SegmentedMap& map, const std::vector<ir::Product>& operations,
                   const Tunables& tunables);
/// Whether the body itself accumulates, and only numbers.
bool adds_single_numbers(const Surroundings& around, const ir::SegmentedMap& e);

}  // namespace dagaz::plan
