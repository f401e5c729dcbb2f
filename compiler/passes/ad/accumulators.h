// Code without the accumulators that it writes to.
#pragma once

#include "ir/names.h"
#include "ir/ops.h"

namespace dagaz::passes::ad {

/// Removes from `statement` everything that has to do with accumulators from outside it: its
/// other results stay as they are.
void strip_accumulators(ir::Statement& statement, const ir::Names& names);

}  // namespace dagaz::passes::ad
