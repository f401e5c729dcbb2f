// Ranges (`iota`) that points make and read element by element: these are computed, not stored.
//
//   map (\i -> let ns = iota m in map (\j -> f ns[j]) ns)  =  map (\i -> map (\j -> f j))
//
// A thread of a GPU would keep such a range in memory of its own, and a nest that is distributed
// would give each point a row of numbers that all rows share.
#pragma once

#include <vector>

#include "ir/names.h"
#include "ir/ops.h"

namespace dagaz::passes::flattening {

/// The ranges of integers that `body` makes of which it reads nothing but elements, also in scopes
/// inside.
ir::NameSet computed_ranges(const ir::Body& body);
/// The range that `statements` make as `array`; null if that is another array.
const ir::Iota* range_of(ir::NameId array, const std::vector<ir::Statement>& statements);
/// Adds what makes `element`, that of the range at `index`.
void compute_element(const ir::Iota& range, const ir::Binder& element, ir::NameId index,
                     ir::Names& names, std::vector<ir::Statement>& out);

}  // namespace dagaz::passes::flattening
