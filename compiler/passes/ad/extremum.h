// Where the least or greatest of many numbers is.
#pragma once

#include "ir/builder.h"

namespace dagaz::passes::ad {

/// Whether `op` is a minimum or maximum.
bool is_extremum(ir::ScalarOp op);
/// The reduction of (value, index) to the extremum of the values and the first index where it is;
/// over nothing, `neutral` and the greatest i64.  NaN loses to numbers, as in `op` itself.
ir::ReduceOperator first_extremum(ir::ScalarOp op, ir::ScalarType type, ir::Operand neutral,
                                  ir::Builder& out);

}  // namespace dagaz::passes::ad
