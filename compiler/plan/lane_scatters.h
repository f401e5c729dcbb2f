// Which scatters run in vector lanes on a CPU: a vector of indices, one of values, and a mask of
// the lanes whose index lies inside, where point by point each index is a branch.
#pragma once

#include <optional>

#include "plan/lane_shapes.h"

namespace dagaz::plan {

/// A version in lanes; nothing where lanes do not fit or gain nothing.
std::optional<ir::Version> scatter_in_lanes(const Surroundings& around,
                                            const ir::SegmentedScatter& scatter);
/// These blocks under the guards that they need, whether they pay or not; nothing where the scatter
/// cannot run so.
std::optional<ir::Version> completed_blocks(const Surroundings& around,
                                            const ir::SegmentedScatter& scatter,
                                            const ir::LaneBlocks& blocks);

}  // namespace dagaz::plan
