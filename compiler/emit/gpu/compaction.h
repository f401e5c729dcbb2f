// Filters on a GPU in one kernel.
#pragma once

#include "emit/context/context.h"
#include "emit/gpu/look_back.h"
#include "plan/compaction.h"

namespace dagaz::emit {

/// Emits the scan and the scatters together, in tiles of `stretch` points a thread; `put_totals`,
/// if there is one, gets how many points each condition keeps.
void compact_in_one_pass(Context& c, const plan::Compaction& compaction, int stretch,
                         const PutTotals& put_totals);

}  // namespace dagaz::emit
