// Functions called inside segments get a sequential copy.
#pragma once

#include <vector>

#include "ir/program.h"

namespace dagaz::passes::flattening {

/// Makes calls inside segments call copies, of functions as they were before flattening.
void redirect_calls(ir::Program& program, const std::vector<ir::Function>& originals);

}  // namespace dagaz::passes::flattening
