// How much work a point of an operation is: a rough count of operations, for the sizes of tasks,
// and what it adds to accumulators.
#pragma once

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
/// The least piece of a histogram: one more element than there are bins.
std::vector<ir::Product> more_than_bins(const ir::SegmentedHistogram& e, const ir::Names& names);

}  // namespace dagaz::plan
