// What operations cost, in units of an addition.
#pragma once

#include "ir/program.h"

namespace dagaz::plan {

std::int64_t cost_of_scalar(ir::ScalarOp op);

/// Whether a body is nothing but arithmetic, reading of numbers and accumulation, enough of it to be
/// computed in blocks (HeldBlocks).
bool is_worth_a_block(const ir::Body& body, const ir::Names& names);

}  // namespace dagaz::plan
