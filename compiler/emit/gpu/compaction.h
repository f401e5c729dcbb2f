// Filters on a GPU in one kernel.
#pragma once

#include "emit/context/context.h"
#include "plan/compaction.h"

namespace dagaz::emit {

/// Emits the scan and the scatters together, in tiles of `stretch` points a thread.
void compact_in_one_pass(Context& c, const plan::Compaction& compaction, int stretch);

}  // namespace dagaz::emit
