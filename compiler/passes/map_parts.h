// Maps with some of their results, or of the arrays that they map over.
#pragma once

#include <cstddef>
#include <vector>

#include "ir/names.h"
#include "ir/ops.h"
#include "support/function_ref.h"

namespace dagaz::passes {

/// Leaves the results of a map and of its statement, by position, that are wanted; what the map has
/// of reductions goes on to have them.
void select_results(ir::Statement& statement, ir::MapScanReduce& map,
                    FunctionRef<bool(std::size_t)> is_wanted);

/// Takes away the arrays, by position, that are dropped, with the parameters for their elements.
void drop_arrays(std::vector<ir::NameId>& arrays, ir::Lambda& function,
                 FunctionRef<bool(std::size_t)> is_dropped);

/// Takes away the arrays whose elements the map does not read.
void drop_unread(ir::MapScanReduce& map, const ir::Names& names);

}  // namespace dagaz::passes
