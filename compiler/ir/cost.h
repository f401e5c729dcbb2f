// What operations cost, as far as deciding where to evaluate them depends on it.
#pragma once

#include "ir/scalar.h"

namespace dagaz::ir {

/// Whether the operation costs a few cycles and never fails: cheaper than a jump around it.
bool is_cheap(ScalarOp op);
/// Whether the operation, in vector lanes too, costs several times what it takes to write a number
/// to a cache and to read it again: exponentials, circular functions and such.
bool is_transcendental(ScalarOp op);

}  // namespace dagaz::ir
