// Sums that each point of a map makes, over elements that ranks may share.
//
//   map (\w -> f w (Σ_i<n g w i)) ws   =   let sums = map (\w -> Σ_i<n g w i) ws
//                                          in map2 f ws sums
//
// The gradient of parameters is made of such sums over what a program is trained with.  As a map
// whose points are sums and nothing else, each rank has the sums over its own part, and they meet.
#pragma once

#include <unordered_map>

#include "ir/names.h"
#include "ir/program.h"

namespace dagaz::passes::distributing {

/// The sum that a point of the map is, if it is nothing else; its operators need nothing of the
/// point, and all points sum over as many elements.
const ir::MapScanReduce* sum_of(const ir::SegmentedMap& map);

/// Sums that were taken out of points, by their first result: the maps that make them now, by
/// theirs.
using TakenSums = std::unordered_map<ir::NameId, ir::NameId>;

/// Takes sums out of points that are more: of all, or only of those that are named.
TakenSums take_sums_out(ir::Function& function, ir::Names& names, const ir::NameSet* only);

}  // namespace dagaz::passes::distributing
