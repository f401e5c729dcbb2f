// Operations whose operands may change places.
#pragma once

#include "ir/scalar.h"

namespace dagaz::passes {

/// Whether op x y = op y x for all values, of floats as well.
bool is_commutative(ir::ScalarOp op);

}  // namespace dagaz::passes
