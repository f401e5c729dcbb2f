// Counts of filters behind what the filters keep; see the source.
#pragma once

#include "ir/program.h"

namespace dagaz::passes::flattening {

void count_after_filters(ir::Body& body, ir::Names& names);

}  // namespace dagaz::passes::flattening
