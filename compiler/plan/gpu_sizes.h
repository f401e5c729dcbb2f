// Strategies of a GPU's schedules in other sizes, which somebody wants.
#pragma once

#include <optional>
#include <vector>

#include "ir/schedule.h"

namespace dagaz::plan {

/// The guards without which a version is not right, as against those without which it does not pay.
std::vector<ir::Guard> needed_guards(const ir::Version& version, bool is_map);

/// `wanted` under the guards that it needs, in place of versions that were chosen for an operation;
/// nothing where it cannot be followed.
std::optional<ir::Version> resized_version(const ir::Schedule& chosen, const ir::Strategy& wanted,
                                           bool is_map);

}  // namespace dagaz::plan
