// Accumulators as arrays that are updated in turn.
#pragma once

#include "ir/names.h"
#include "ir/ops.h"

namespace dagaz::passes::ad {

/// Turns accumulation whose derivative needs the order of the writes, or the values between them,
/// into loops that update an array: accumulation by another operator than `+`, and for reverse mode
/// accumulation inside `while` loops.
ir::Body with_ordered_accumulation(ir::Body body, ir::DerivativeMode mode, ir::Names& names);

}  // namespace dagaz::passes::ad
