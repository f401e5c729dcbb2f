// What points take where they run in vectors: an operation on a vector is one, so tasks have as
// many more points.  Nothing takes less than one operation, for memory is no faster.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "ir/program.h"

namespace dagaz::plan {

/// Divides the operations of a point by `lanes`, if the first version of the schedule runs points
/// in vectors: as lanes of a block, or because a loop over them has nothing but arithmetic,
/// conditions, and reads at places that it computes, of which elements of `iotas` may be parts.
void count_in_vectors(ir::Schedule& schedule, const ir::Body& body, const ir::Names& names,
                      const std::unordered_set<ir::NameId>& iotas, std::int64_t lanes);

}  // namespace dagaz::plan
