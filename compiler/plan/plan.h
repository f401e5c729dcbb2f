// Gives every parallel operation of a flat program a schedule: how it runs, in versions with
// guards; and the program settings.
//
// Emission follows them and chooses nothing.  What they say is in ir/schedule.h and ir/settings.h;
// each file of this folder holds one strategy and when it pays, or what it must know of the program
// for that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ir/parse.h"
#include "ir/program.h"
#include "plan/target.h"

namespace dagaz::plan {

enum class Device { cpu, gpu };

struct PlanOptions {
  Device device = Device::cpu;
  /// Everything point by point.
  bool only_pointwise = false;
  /// The processor, where that is the device, and what is tuned for it.
  TargetDescription target = {};
  /// Legal schedules at random instead of good ones.
  std::optional<std::uint64_t> seed = {};
  /// Settings, and schedules for some operations, in place of what would be chosen.
  const ir::PlanText* wanted = nullptr;
};

/// `refused`, if given, gets a sentence for whatever is wanted and cannot be followed.
ir::PlannedProgram plan(ir::FlatProgram program, const PlanOptions& options,
                        std::vector<std::string>* refused = nullptr);

}  // namespace dagaz::plan
