// Arrays that are open for accumulation.
#pragma once

#include <vector>

#include "imperative/context/context.h"

namespace dagaz::imperative {

void accumulate(Context& c, const ir::Accumulate& e, const Value& value);

}  // namespace dagaz::imperative
