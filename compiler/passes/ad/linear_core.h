// Linear functions among the cores of sums:  Σᵢ f(xᵢ)  =  f(Σᵢ xᵢ).
//
// A factor that is the same in all iterations then multiplies the sum, not every term of it.
#pragma once

#include "ir/names.h"
#include "ir/ops.h"

namespace dagaz::passes::ad {

/// Whether every result of `core` is linear in the names `varying`, taken together.
bool is_linear(const ir::Body& core, const ir::NameSet& varying, const ir::Names& names);

}  // namespace dagaz::passes::ad
