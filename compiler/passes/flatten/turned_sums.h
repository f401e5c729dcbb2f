// Sums that are only needed with their dimensions exchanged.
#pragma once

#include "ir/program.h"

namespace dagaz::passes::flattening {

/// Takes them in the order in which they are needed.
void turn_sums(ir::Body& body, const ir::Names& names);

}  // namespace dagaz::passes::flattening
