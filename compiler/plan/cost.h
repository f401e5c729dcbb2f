// What operations cost, in units of an addition.
#pragma once

#include "ir/program.h"
#include "plan/tunables.h"

namespace dagaz::plan {

std::int64_t cost_of_scalar(ir::ScalarOp op);

/// Whether a body is nothing but arithmetic, reading of numbers and accumulation, so that it can be
/// computed in blocks (HeldBlocks).
bool is_arithmetic(const ir::Body& body, const ir::Names& names);
/// Whether there is, besides, enough of it to gain by that.
bool is_worth_a_block(const ir::Body& body, const ir::Names& names, const Tunables& tunables);

}  // namespace dagaz::plan
