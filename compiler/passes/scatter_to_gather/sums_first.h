// Additions of a nest whose places do not depend on all of its levels: sums are added.
#pragma once

#include "ir/names.h"
#include "ir/ops.h"
#include "passes/tunables.h"

namespace dagaz::passes::gathering {

/// Whether there are any in the maps inside of maps of `body`, which then add sums.
bool add_sums_first(ir::Body& body, ir::Names& names, const Tunables& tunables);

}  // namespace dagaz::passes::gathering
