// Classes of operations that several passes ask for: one answer each, for every operation.
#pragma once

#include "ir/ops.h"

namespace dagaz::ir {

/// Whether the result is, or is a part of, what the operation reads: nothing is computed, and an array
/// lies where its operand lies.
bool is_view(const Operation& operation);

}  // namespace dagaz::ir
