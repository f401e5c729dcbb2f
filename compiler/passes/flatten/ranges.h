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

/// The ranges that `body` makes of which it reads nothing but elements, also in scopes inside.
ir::NameSet computed_ranges(const ir::Body& body);
/// Whether element i of `array` is i, for one of the ranges that `statements` make.
bool counts_from_zero(ir::NameId array, const std::vector<ir::Statement>& statements);

}  // namespace dagaz::passes::flattening
