// Histograms on a GPU whose bins are guarded by locks.
#pragma once

#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

/// `places` are the destinations' of each operator.
void histogram_with_locks(Context& c, const ir::SegmentedHistogram& e, const ir::LockedBins& bins,
                          const std::vector<std::vector<Place>>& places);

}  // namespace dagaz::emit
