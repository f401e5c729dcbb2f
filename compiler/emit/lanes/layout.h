// Arrays with a matrix for each point, laid out again with the points innermost.
#pragma once

#include "emit/lanes/lanes.h"

namespace dagaz::emit {

/// A copy that has the outermost dimension innermost in memory.
LaneArray laid_out(Context& c, NameId array);

}  // namespace dagaz::emit
