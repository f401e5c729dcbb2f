// Making schedules.
#pragma once

#include <vector>

#include "ir/schedule.h"

namespace dagaz::plan {

ir::Schedule in_versions(std::vector<ir::Version> versions);
ir::Schedule only(ir::Strategy strategy);
/// Adds a version after the others, with the guards whose truth is not known; nothing where it
/// could never run.
void add_version(ir::Schedule& schedule, std::vector<ir::Guard> when, ir::Strategy strategy);

}  // namespace dagaz::plan
