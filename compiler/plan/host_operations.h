// How the host runs each kind of parallel operation: one file for each, host_map.cpp and so on.
#pragma once

#include <optional>
#include <vector>

#include "plan/compaction.h"
#include "plan/lane_blocks.h"
#include "plan/planning.h"

namespace dagaz::plan {

/// Puts the map into `planned`: in its place may be several.
void plan_map(Planning& p, ir::Statement statement, std::vector<ir::Statement>& planned);
/// What a point of a map does, for the sizes of tasks, and how far apart points add.
void note_points(Planning& p, ir::SegmentedMap& e);
void plan_reduce(Planning& p, const ir::Statement& statement, ir::SegmentedReduce& e);
/// `compaction`: of the scan and what follows it, if they may run as one loop.
void plan_scan(Planning& p, const ir::Statement& statement, ir::SegmentedScan& e,
               const std::optional<Compaction>& compaction);
void plan_histogram(Planning& p, const ir::Statement& statement, ir::SegmentedHistogram& e);
/// `alone`: not in the loop of a scan before it.
void plan_scatter(Planning& p, const ir::Statement& statement, ir::SegmentedScatter& e,
                  bool alone);

/// A strategy that is wanted for a map that `ways` and, if it is one, `product` are open to.
Complete completed_map(Planning& p, const MapAt& at, std::optional<ir::Version> product,
                       std::vector<ir::Strategy> ways);

}  // namespace dagaz::plan
