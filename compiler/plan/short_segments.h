// Reductions of segments that are a few elements long: a lane for each of neighbouring segments.
//
// A vector along such a segment would hardly be filled, and its lanes would have to meet at the end
// of each.  With a lane for each segment nothing meets; elements are gathered, which takes about as
// long as reading them one by one, but several gathers are under way at once.  Gathers give a
// processor no stream to follow, so lines of the segments further on are fetched with each element.
#pragma once

#include <optional>
#include <vector>

#include "plan/surroundings.h"

namespace dagaz::plan {

/// Under the guards under which that pays; nothing where it never does.
std::optional<ir::Version> segments_in_lanes(const ir::SegmentedReduce& reduction,
                                             const std::vector<ir::Binder>& results,
                                             const Surroundings& around);
/// Vectors of so many segments, of which so far ahead is fetched, whether that pays or not; nothing
/// where the reduction cannot run so.
std::optional<ir::LaneBlocks> completed_segments(const ir::SegmentedReduce& reduction,
                                                 const std::vector<ir::Binder>& results, int width,
                                                 int ahead, const Surroundings& around);

}  // namespace dagaz::plan
