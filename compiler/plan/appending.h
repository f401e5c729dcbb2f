// Which writes of a point append elements to one of many lists.
//
// A loop that sends elements to lists keeps in a table where each list ends:
//
//   place = ends[k];  out[place] = element;  ends[k] = place + 1
//
// The processor sees no pattern in such places, and stores leave it in order: each that begins a
// line of a cache waits for memory.  But a list goes on where it ended, so that line can be fetched
// before (Satish et al., "Fast sort on CPUs and GPUs", SIGMOD 2010, keep the line in a buffer
// instead).
#pragma once

#include <vector>

#include "ir/ops.h"

namespace dagaz::plan {

/// The writes inside `body` that append, each with `ahead`.
std::vector<ir::Append> appending_writes(const ir::Body& body, int ahead);

}  // namespace dagaz::plan
