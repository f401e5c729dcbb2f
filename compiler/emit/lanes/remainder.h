// The last blocks along a dimension, which share points with those before.
#pragma once

#include "emit/lanes/lanes.h"

namespace dagaz::emit {

void store_remainder(Lanes& l, const LaneArray& target, const LaneScalar& value,
                     const Overlap& overlap);

}  // namespace dagaz::emit
