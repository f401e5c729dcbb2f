// Schedules of a GPU: by which threads a segmented operation runs.
//
// Segments that are short, or many beside the threads that the device holds, are walked by a thread
// each; else threads work together.  Where their values are arrays, or operators need memory,
// threads walk pieces.
#pragma once

#include "plan/surroundings.h"

namespace dagaz::plan {

/// Several points a thread where they are little work, tiles where they are sums.
ir::Schedule gpu_map(const ir::SegmentedMap& e, const Surroundings& around, ir::Names& names);
ir::Schedule gpu_reduction(const ir::SegmentedReduce& e, const Surroundings& around,
                           ir::Names& names);
ir::Schedule gpu_scan(const ir::SegmentedScan& e, const Surroundings& around);
ir::Schedule gpu_histogram(const ir::SegmentedHistogram& e, const Surroundings& around);

}  // namespace dagaz::plan
