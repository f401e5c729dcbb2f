// Updates of single elements of rows.
#pragma once

#include <vector>

#include "ir/names.h"
#include "ir/ops.h"

namespace dagaz::passes::flattening {

/// Those of rows that parallel statements of `body` make before become maps over the rows; `out`
/// gets what is computed before the nest.  `inside`: what a point of the nest binds.
void replace_row_updates(ir::Body& body, const ir::NameSet& inside, ir::Names& names,
                         std::vector<ir::Statement>& out);

}  // namespace dagaz::passes::flattening
