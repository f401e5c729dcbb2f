// Arrays with a matrix for each point, laid out again with the points innermost.
#pragma once

#include "imperative/lanes/lanes.h"

namespace dagaz::imperative {

/// A copy that has the outermost dimension innermost in memory.
LaneArray laid_out(Context& c, NameId array);

}  // namespace dagaz::imperative
