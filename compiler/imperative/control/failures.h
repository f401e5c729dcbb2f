// Failures of the program that runs.
#pragma once

#include <vector>

#include "imperative/context/context.h"

namespace dagaz::imperative {

void fail(Context& c, const std::string& text, const std::vector<Operand>& arguments,
          ir::LocationId location);

}  // namespace dagaz::imperative
