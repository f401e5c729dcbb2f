// How deep loops are nested in an operation: the order of what it costs.
#pragma once

#include "ir/ops.h"

namespace dagaz::passes::ad {

int loops_in(const ir::Operation& operation);

}  // namespace dagaz::passes::ad
