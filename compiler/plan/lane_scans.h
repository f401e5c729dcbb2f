// How scans run on a CPU besides point by point: in vector lanes, or with the scatters that follow.
//
// In a block of neighbouring points each lane takes what a lane before it has, from 1, 2, 4, …
// lanes away (Hillis and Steele, "Data parallel algorithms", CACM 1986); what comes before the
// block is combined with all lanes at once, so that blocks wait for each other one operation long,
// where points one by one wait as long for each point.
#pragma once

#include <optional>
#include <vector>

#include "plan/compaction.h"
#include "plan/lane_shapes.h"

namespace dagaz::plan {

/// A scan, the names of its results, and the loop that it begins, if there is one.
struct ScanAt {
  const Surroundings& around;
  const ir::SegmentedScan& scan;
  const std::vector<ir::Binder>& results;
  const std::optional<Compaction>& compaction;
};

/// The best ways.
ir::Schedule ways_of_scan(const ScanAt& at);
/// The strategy as this scan can follow it; nothing where it cannot.
std::optional<ir::Version> completed_scan(const ScanAt& at, const ir::Strategy& strategy);

}  // namespace dagaz::plan
