// Sums of points that need nothing else of these, where a map of their own is better for them.
#pragma once

#include <optional>
#include <vector>

#include "ir/names.h"
#include "ir/program.h"

namespace dagaz::passes::flattening {

/// The map in two: of its independent sums that are fewer than others of its points, or that it
/// adds to accumulators, and of the rest.  Nothing where there are no such.
std::optional<std::vector<ir::Statement>> independent_sums_first(const ir::Statement& statement,
                                                                 ir::Names& names);

}  // namespace dagaz::passes::flattening
