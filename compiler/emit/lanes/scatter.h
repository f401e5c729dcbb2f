// Scatters in blocks of lanes.
#pragma once

#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

void scatter_in_lanes(Context& c, const ir::SegmentedScatter& e, const ir::LaneBlocks& plan,
                      const std::vector<Place>& places);

}  // namespace dagaz::emit
