// Scans of scalars by threads of a GPU, in stages.
#pragma once

#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

void scan_in_stages(Context& c, const ir::Statement& s, const ir::SegmentedScan& e,
                    const ir::InStages& plan, const std::vector<ir::Type>& types,
                    const std::vector<Destination>& targets);

}  // namespace dagaz::emit
