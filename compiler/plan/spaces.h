// Nests inside a task as operations over a space.
#pragma once

#include "ir/program.h"

namespace dagaz::plan {

/// A map, and a map that is all it does, as one map over a space.
ir::SegmentedMap as_space(const ir::MapScanReduce& map, ir::Names& names);
/// Whether the map makes arrays of its elements, and does nothing else.
bool is_plain_map(const ir::MapScanReduce& map, const ir::Names& names);

}  // namespace dagaz::plan
