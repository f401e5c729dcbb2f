// Scans of scalars on a GPU in one kernel.
#pragma once

#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

void scan_in_one_pass(Context& c, const ir::Statement& s, const ir::SegmentedScan& e,
                      const ir::LookBack& plan, const std::vector<ir::Type>& types,
                      const std::vector<Destination>& targets);

}  // namespace dagaz::emit
