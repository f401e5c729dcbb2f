// Puts together what distribution took apart without need.
#pragma once

#include "ir/program.h"

namespace dagaz::passes::flattening {

/// Merges segmented maps into the one operation that reads them point by point, and lets arrays
/// stand for copies of themselves, in a body that distribution has made.
void rejoin(ir::Body& body, ir::Names& names);

}  // namespace dagaz::passes::flattening
