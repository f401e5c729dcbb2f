// Rows that a loop inside a point makes, each point's in a stretch of memory of its own.
#pragma once

#include <vector>

#include "emit/lanes/rows.h"

namespace dagaz::emit {

/// Runs the iterations of a loop of `width`.  Elements of the `results` that are turned are kept
/// where the points are neighbours, in place of `targets`, until there are as many as lanes.
void in_turned_rows(Lanes& l, const Operand& width, const std::vector<NameId>& results,
                    std::vector<LaneArray>& targets, const RowFunction& iteration);

}  // namespace dagaz::emit
