// Arrays that are open for accumulation.
#pragma once

#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

void accumulate(Context& c, const ir::Accumulate& e, const Value& value);

}  // namespace dagaz::emit
