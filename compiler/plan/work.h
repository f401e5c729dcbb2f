// How much work a point of an operation is: a rough count of operations, for the sizes of tasks,
// and what it adds to accumulators.
#pragma once

#include <unordered_set>

#include "ir/program.h"
#include "plan/tunables.h"

namespace dagaz::plan {

/// Sums of products of sizes that are known outside the body.
struct Work {
  std::vector<ir::Product> operations;
  std::vector<ir::Product> additions;
};
/// `besides`: operations of a point that its body does not have.
Work work_of(const ir::Body& body, const ir::Names& names, const Tunables& tunables,
             std::int64_t besides = 0);
/// What points take where `lanes` of them run in a vector: an operation on a vector is one.
/// Nothing takes less than one, for memory is no faster.
std::vector<ir::Product> in_vectors(std::vector<ir::Product> operations, std::int64_t lanes);
/// Whether the points of such a body run in vectors by this version: they do as lanes of a block, or
/// because a loop over them has nothing but arithmetic, conditions, and reads at places that it
/// computes, of which elements of `iotas` may be parts.
bool runs_in_vectors(const ir::Version& version, const ir::Body& body, const ir::Names& names,
                     const std::unordered_set<ir::NameId>& iotas);
/// The least piece of a histogram: one more element than there are bins.
std::vector<ir::Product> more_than_bins(const ir::SegmentedHistogram& e, const ir::Names& names);

}  // namespace dagaz::plan
