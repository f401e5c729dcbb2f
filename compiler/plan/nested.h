// Code inside of a point: loops that a thread runs, of which some may run in lanes.
#pragma once

#include <functional>

#include "plan/planning.h"

namespace dagaz::plan {

void plan_nested(Planning& p, ir::Body& body);
void plan_nested(Planning& p, ir::Statement& statement);
/// The operator of a reduction, a scan, a histogram or an accumulator.
void plan_operator(Planning& p, ir::Lambda& op);

/// Notes accumulators that control flow hands on, and plans its bodies by `plan`.
void plan_control(Planning& p, ir::Statement& statement,
                  const std::function<void(ir::Body&)>& plan);

}  // namespace dagaz::plan
