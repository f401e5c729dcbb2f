// Sums that a map takes beside more of others, or adds.
#pragma once

#include <optional>
#include <vector>

#include "ir/names.h"
#include "ir/program.h"

namespace dagaz::passes::flattening {

/// The map in two: of sums that are fewer than others of its points, or that it adds to accumulators,
/// and of what is done with them.
/// Nothing where there are no such, or these need what the points compute.
std::optional<std::vector<ir::Statement>> fewer_sums_first(const ir::Statement& statement,
                                                           ir::Names& names);

}  // namespace dagaz::passes::flattening
