// Reductions whose inputs lie so that the dimension outside the reduction, not the one along it,
// has unit stride (columns of a matrix): on the CPU the loops change places.
//
//   for j: acc = ne; for k: acc = op acc (f j k)
// becomes, for tiles of j with an array of accumulators that stays in the first-level cache,
//   for k: for j: acc[j] = op acc[j] (f j k)
// whose inner loop vectorises with unit steps.
#pragma once

#include "plan/surroundings.h"

namespace dagaz::plan {

/// Whether the loops can change places.
bool can_interchange(const ir::SegmentedMap& map, const ir::Names& names);
bool can_interchange(const ir::SegmentedReduce& reduction);
/// Whether that pays, too.
bool gains_by_interchange(const Surroundings& around, const ir::SegmentedMap& map);
bool gains_by_interchange(const Surroundings& around, const ir::SegmentedReduce& reduction);
/// Whether segments, not the elements of one, lie side by side in memory.
bool has_interleaved_segments(const Surroundings& around, const ir::SegmentedReduce& reduction);

}  // namespace dagaz::plan
