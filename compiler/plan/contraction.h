// Products of matrices and what is like them: sums, by any operator whose order is free, over
// elements that a row and a point of the space share.
//
//   result[i, j] = after(⊕ₖ combine(left(i, k), right(k, j)), …)
//
// Nothing here is about multiplication or about order in memory: scalars that depend on a row and
// an element, but on no point, are values of rows; those that depend on a point and an element are
// values of points; what depends on both is computed in the innermost loop.  The other dimensions
// of the space are a batch.  Sums of sums by the same operator are one sum.
//
// Copying values of n rows and m points costs (n + m)·k, and the sums n·m·k: large products gain by
// it (Goto and van de Geijn, TOMS 2008).  How large a block of sums, a panel and what a cache holds
// are follows from the machine as in Low, Igual, Smith and Quintana-Ortí, "Analytical modeling is
// enough for high-performance BLIS", TOMS 2016.
#pragma once

#include <optional>
#include <vector>

#include "plan/product_parts.h"
#include "plan/surroundings.h"

namespace dagaz::plan {

/// A product in lanes, of sums of `least_sum` elements at least; nothing where `map` is none, or
/// known to be small.
std::optional<ir::Version> contraction(const Surroundings& around, const ir::SegmentedMap& map,
                                       const std::vector<ir::Binder>& results,
                                       std::int64_t least_sum, ir::Names& names);
/// The same with points along each of the dimensions between the outermost and the innermost one,
/// which may have few: in small blocks, as sums for the weights of windows are, whose results lie
/// apart.
std::vector<ir::Version> contractions_across(const Surroundings& around,
                                             const ir::SegmentedMap& map, std::int64_t least_sum,
                                             ir::Names& names);
/// The product `chosen` with other sizes, under the guards that these need; nothing where they
/// cannot be.
std::optional<ir::Version> sized_contraction(const ir::SegmentedMap& map,
                                             const ir::Contraction& chosen,
                                             const ir::Contraction& sizes, ir::Names& names);

/// Finds the values of rows and points, as `plan` names these dimensions of the space, and those
/// that all elements of a sum share; false where what is added, in at most `most` operations for
/// each pair of them, is not made of both.
bool find_sides(ir::Contraction& plan, const std::vector<ir::SpaceDimension>& space,
                const SumParts& parts, std::int64_t most, const ir::Names& names);

}  // namespace dagaz::plan
