// Histograms on a GPU whose blocks fill bins of their own.
#pragma once

#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

/// `places` are the destinations' of each operator.
void histogram_in_blocks(Context& c, const ir::SegmentedHistogram& e, const ir::BlockBins& plan,
                         const std::vector<std::vector<Place>>& places);

}  // namespace dagaz::emit
