// Which blocks of points of a map run in vector lanes on a CPU.
//
// LLVM vectorises innermost loops.  In a nest whose innermost loops are short, or run along a
// dimension with large steps, the points of an outer dimension are the better lanes: then all
// loops of a point's body stay scalar loops, and each scalar operation works on a vector of
// points.  A product of matrices, Σₖ a[i][k]·b[k][j], gets lanes along j, where b is read in
// unit steps, and a few rows i, which share what they read of b: a block of accumulators in
// registers.  No such form is looked for: the dimension is the first along which the innermost
// loops read memory in unit steps or not at all.
//
// Vectors that are read as a whole are best, copies that make them so next; where sizes do not
// allow for these, a vector may be gathered.
#pragma once

#include <vector>

#include "plan/lane_shapes.h"

namespace dagaz::plan {

/// A map, the names of its results, and where it runs.
struct MapAt {
  const Surroundings& around;
  const ir::SegmentedMap& map;
  const std::vector<ir::Binder>& results;
  Around where;
};

/// Whether rows of arrays may be packed.
enum class Packing { allowed, forbidden };

/// Versions in lanes, best first; none where lanes do not fit or gain nothing.
std::vector<ir::Version> map_in_lanes(const MapAt& at);
/// These blocks with what has to be serialised in them, under the guards that they need, whether
/// they pay or not; nothing where the map cannot run so.
std::optional<ir::Version> completed_blocks(const MapAt& at, const ir::LaneBlocks& blocks,
                                            Packing packing);
/// The product with its values read where they lie, in blocks as large as registers allow; nothing
/// where they are not neighbours or registers are few.
std::optional<ir::Version> unpacked_product(const MapAt& at, const ir::Contraction& product);
/// A map inside a task that may run in lanes, as if it and a map that is all it does were one map
/// over a space (spaces.h); nothing where lanes cannot be.
std::optional<ir::SegmentedMap> nest_as_space(const Surroundings& around,
                                              const ir::MapScanReduce& map,
                                              const std::vector<ir::Binder>& results,
                                              ir::Names& names);

}  // namespace dagaz::plan
