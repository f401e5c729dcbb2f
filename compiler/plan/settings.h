// The settings of a program (ir/settings.h): how they follow from the device and what is tuned.
#pragma once

#include "plan/plan.h"

namespace dagaz::plan {

ir::Settings settings_for(Device device, const TargetDescription& target);
/// Whether code for the device can follow them.
bool are_for(const ir::Settings& settings, Device device);

}  // namespace dagaz::plan
