// Failures of the program that runs.
#pragma once

#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

void fail(Context& c, const std::string& text, const std::vector<Operand>& arguments,
          ir::LocationId location);

}  // namespace dagaz::emit
