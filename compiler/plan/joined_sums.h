// Sums of sums as one sum.
#pragma once

#include <optional>

#include "ir/program.h"

namespace dagaz::plan {

/// A reduction whose elements are reductions by the same operators, of as many elements each:
///
///   sum (map (\i -> sum (map (f i) (iota m))) (iota n)) = sum (map (\(i, j) -> f i j) (iota n ×
///   m))
///
/// as one over all that these reduce, for which its space has more dimensions than that of `e`.
/// Nothing where elements are no such reductions.
std::optional<ir::SegmentedReduce> joined_sums(const ir::SegmentedReduce& e, ir::Names& names);

}  // namespace dagaz::plan
