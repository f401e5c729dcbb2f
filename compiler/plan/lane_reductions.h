// Which reductions run in vector lanes on a CPU: all points of a piece are one row of a block.
//
// What LLVM makes vectors of is left to it: a loop without loops inside whose operator is one
// scalar operation for each value.  The others are operators on pairs, triples, …: the greatest
// element with its place, complex numbers, a mean with a variance.  Each lane has values of its own
// and meets other lanes' at the end.  If the operator commutes, lanes are neighbours; if not, each
// walks a stretch of the piece, and the lanes' values are combined in order: its rows lie along the
// same dimension as its points, and a stretch has an odd multiple of `block_rows` of them.
//
// Stretches end after some hundred elements, where lanes are combined: the values that they carry
// are of few elements then.  Where each multiplies, as in linear recurrences that decay, products of
// many fall below the least normal number, and take some processors a hundred times as long.
#pragma once

#include <optional>
#include <vector>

#include "plan/lane_shapes.h"

namespace dagaz::plan {

/// Versions in lanes of the first stage of a reduction; none where lanes do not fit or gain
/// nothing.
std::vector<ir::Version> reduction_in_lanes(const Surroundings& around,
                                            const ir::SegmentedReduce& reduction,
                                            const std::vector<ir::Binder>& results);
/// The elements after which lanes that walk stretches are combined; 0 where none do, or where these
/// are as long as they can be: lanes that keep the steps of places multiply nothing.
int link_of_stretches(const ir::Schedule& schedule, const Tunables& tunables);
/// These blocks under the guards that they need, whether they pay or not; nothing where the
/// reduction cannot run so.
std::optional<ir::Version> completed_blocks(const Surroundings& around,
                                            const ir::SegmentedReduce& reduction,
                                            const std::vector<ir::Binder>& results,
                                            const ir::LaneBlocks& blocks);

}  // namespace dagaz::plan
