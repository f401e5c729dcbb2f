// Cutting a nest whose reductions want different loop orders.
#pragma once

#include <vector>

#include "ir/program.h"

namespace dagaz::plan {

/// A map for some of the results of another, given by position.
struct MapPart {
  ir::SegmentedMap map;
  std::vector<std::size_t> results;
};

/// One map for each reduction, where the body of `e` is one loop with several reductions and every
/// result needs at most one of them; else nothing.  Names bound in the parts are their own.
std::vector<MapPart> split_by_reduction(const ir::SegmentedMap& e, ir::Names& names);

}  // namespace dagaz::plan
