// Sides of branches that all points of a nest take together.
#pragma once

#include <vector>

#include "ir/names.h"
#include "ir/ops.h"

namespace dagaz::passes::flattening {

/// Takes out of `body` what is the same wherever it runs and does no harm where it need not:
/// numbers and ranges that depend on nothing of `inside`, nor on other statements.
std::vector<ir::Statement> take_common(ir::Body& body, ir::NameSet inside, const ir::Names& names);

}  // namespace dagaz::passes::flattening
