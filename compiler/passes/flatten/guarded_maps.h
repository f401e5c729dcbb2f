// Maps under a condition that only add to accumulators.
#pragma once

#include <vector>

#include "ir/names.h"
#include "ir/ops.h"

namespace dagaz::passes::flattening {

/// Those among the statements of `body` become maps of what is under the condition; `out` gets what
/// is computed before the nest.  `inside`: what a point of the nest binds.
void ask_at_elements(ir::Body& body, const ir::NameSet& inside, ir::Names& names,
                     std::vector<ir::Statement>& out);

}  // namespace dagaz::passes::flattening
