// Schedules of a GPU: by which threads a segmented operation runs.
//
// Segments that are short, or many beside the threads that the device holds, are walked by a thread
// each; else threads work together: on a segment, or `interchanged` on segments that lie side by
// side.  Where their values are arrays, or operators need memory, threads walk pieces.
#pragma once

#include <optional>

#include "plan/compaction.h"
#include "plan/surroundings.h"

namespace dagaz::plan {

/// Several points a thread where they are little work, tiles where they are sums.
ir::Schedule gpu_map(const ir::SegmentedMap& e, const Surroundings& around, ir::Names& names);
ir::Schedule gpu_reduction(const ir::SegmentedReduce& e, const Surroundings& around,
                           ir::Names& names);
/// Together with the statements of `compaction`, which begins with it, if there is one.
ir::Schedule gpu_scan(const ir::SegmentedScan& e, const Surroundings& around,
                      const std::optional<Compaction>& compaction);
ir::Schedule gpu_histogram(const ir::SegmentedHistogram& e, const Surroundings& around);

}  // namespace dagaz::plan
