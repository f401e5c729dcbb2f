// Arrays that are open for accumulation.
#pragma once

#include <optional>
#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

/// `ahead`: as in `write`.
void accumulate(Context& c, const ir::Accumulate& e, const Value& value,
                std::optional<int> ahead = {});

}  // namespace dagaz::emit
