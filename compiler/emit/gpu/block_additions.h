// Maps on a GPU whose blocks add to arrays of their own (plan/gpu_additions.h).
#pragma once

#include "emit/context/context.h"
#include "emit/points.h"

namespace dagaz::emit {

/// `point` emits a point.
void add_in_blocks(Context& c, const ir::SegmentedMap& e, const ir::BlockBins& plan,
                   const PointFunction& point);

}  // namespace dagaz::emit
