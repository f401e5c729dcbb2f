// Loops that a thread runs one iteration after the other, be it all of a row or some points of a
// map.
#pragma once

#include <optional>

#include "ir/program.h"
#include "plan/surroundings.h"
#include "plan/target.h"

namespace dagaz::plan {

/// The schedule of a loop's iterations.  Where they are straight-line code that calls functions of
/// reals, whole vectors are apart from the rest, which vectors under masks do: done singly, each
/// iteration of the rest would cost as much as a vector.  In masks alone long loops would lose on
/// processors that write slowly under a mask.
ir::Pointwise thread_loop(const ir::MapScanReduce& map, const TargetDescription& target);
/// The same for the segments of a reduction, as loops of which LLVM makes vectors, and of which
/// rests are a large part; nothing where it can't.
std::optional<ir::BySegments> segment_loop(const ir::SegmentedReduce& reduction,
                                           const Surroundings& around);
/// Whether it is straight-line code, which may stand in both loops.
bool is_straight(const ir::Body& body);
/// Whether it evaluates functions of reals.
bool calls_functions(const ir::Body& body);
ir::Pointwise point_loop(const ir::SegmentedMap& map, const TargetDescription& target);

}  // namespace dagaz::plan
