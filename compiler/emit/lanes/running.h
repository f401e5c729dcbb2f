// Running values of reductions and scans in lanes: one for each point of a block.
#pragma once

#include <vector>

#include "emit/lanes/lanes.h"
#include "emit/thread/running.h"

namespace dagaz::emit {

/// The running values of reductions over all points, and their combination.
std::vector<LaneScalar> start_running(Lanes& l, const std::vector<Operand>& neutral);
/// Next values, all read before any is set.
void set_running(Lanes& l, const std::vector<LaneScalar>& running,
                 const std::vector<LaneResult>& next);
void combine(Lanes& l, const ir::Lambda& op, const std::vector<LaneScalar>& running,
             const std::vector<LaneScalar>& values);
/// Combines the lanes of `running` into `totals`, values of the thread.
void finish_running(Lanes& l, const std::vector<LaneScalar>& running, const Running& totals);

}  // namespace dagaz::emit
