// Scans of scalars on a GPU in one kernel.
#pragma once

#include <vector>

#include "imperative/context/context.h"

namespace dagaz::imperative {

void scan_in_one_pass(Context& c, const ir::Statement& s, const ir::SegmentedScan& e,
                      const ir::LookBack& plan, const std::vector<ir::Type>& types,
                      const std::vector<Destination>& targets);

}  // namespace dagaz::imperative
