// The rules of schedules and settings.
#pragma once

#include <string>

#include "ir/schedule.h"
#include "ir/settings.h"

namespace dagaz::ir {

/// What is wrong with the numbers of a strategy, whatever operation it is for; empty if nothing.
std::string problem_of(const Strategy& strategy);
/// Likewise of all versions: the last one has no guard, and no other is without.
std::string problem_of(const Schedule& schedule);
std::string problem_of(const std::vector<Append>& appends);
std::string problem_of_stretches(const Schedule& schedule);
std::string problem_of(const Settings& settings);

}  // namespace dagaz::ir
