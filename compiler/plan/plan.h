// Gives every parallel operation of a flat program a schedule: how it runs, in versions with guards.
//
// Emission follows schedules and chooses nothing.  What a schedule says is in ir/schedule.h; each file
// of this folder holds one strategy and when it pays, or what it must know of the program for that.
#pragma once

#include "ir/program.h"

namespace dagaz::plan {

enum class Device { cpu, gpu };

struct PlanOptions {
  Device device = Device::cpu;
  /// Everything point by point.
  bool only_pointwise = false;
};

ir::PlannedProgram plan(ir::FlatProgram program, const PlanOptions& options);

}  // namespace dagaz::plan
