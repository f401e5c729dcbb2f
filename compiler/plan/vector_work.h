// What points take where they run in vectors: an operation on a vector is one, so tasks have as
// many more points.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "ir/program.h"

namespace dagaz::plan {

/// Notes that the operations of `lanes` points take as long as one's, if the first version of the
/// schedule runs points in vectors: as lanes of a block, as a product, or because a loop over them
/// has nothing but arithmetic, conditions, and reads at places that it computes, of which elements
/// of `iotas` may be parts.
void count_in_vectors(ir::Schedule& schedule, const ir::Body& body, const ir::Names& names,
                      const std::unordered_set<ir::NameId>& iotas, int lanes);

}  // namespace dagaz::plan
