// Loops that start from the same constant array.
#pragma once

#include "ir/program.h"

namespace dagaz::passes::flattening {

/// Gives each host loop that starts from a repeated number, and changes it, an array of its own.
void give_loops_own_initials(ir::Body& body, ir::Names& names);

}  // namespace dagaz::passes::flattening
