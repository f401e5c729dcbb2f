// Flatmaps become other parallel operations, before anything else.
#pragma once

#include "ir/program.h"

namespace dagaz::passes::flattening {

void expand_flatmaps(ir::Body& body, ir::Names& names);

}  // namespace dagaz::passes::flattening
