// The last blocks along a dimension, which share points with those before.
#pragma once

#include "imperative/lanes/lanes.h"

namespace dagaz::imperative {

void store_remainder(Lanes& l, const LaneArray& target, const LaneScalar& value,
                     const Overlap& overlap);

}  // namespace dagaz::imperative
