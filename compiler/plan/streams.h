// Reductions that read memory at several places side by side.
//
// A processor fetches ahead of each stream of addresses by itself, and no further than to the end
// of a page: one stream alone leaves some of what memory could give unused (Blom, Rietveld and van
// Nieuwpoort, "Multi-strided access patterns to boost hardware prefetching", ICPE 2025).  Streams
// are neighbouring segments, which also share what they read alike, as rows of a matrix do the
// vector that all of them are multiplied by, or parts of one, which follow each other, so that
// values are combined in their order.  What caches hold gains nothing.
#pragma once

#include <optional>

#include "plan/surroundings.h"

namespace dagaz::plan {

/// Whether elements may be taken from several places in one loop.
bool can_read_streams(const ir::SegmentedReduce& reduction);
/// Pieces that are read so, under the guard from which on that pays; nothing where it never does.
std::optional<ir::Version> reduction_in_streams(const ir::SegmentedReduce& reduction,
                                                const Surroundings& around);

}  // namespace dagaz::plan
