// Result types of an operation, from the types of what it uses.
#pragma once

#include <vector>

#include "ir/ops.h"

namespace dagaz::ir {

/// One type per result.  Where a size is known only as a result of the same statement (Branch,
/// Loop, Call and FlatMap with changing sizes) the type mentions `results[k]`, which the caller
/// supplies as the names the statement will bind; otherwise `results` may be empty.
std::vector<Type> types_of(const Operation& operation, const Names& names,
                           const std::vector<Binder>& results = {});

}  // namespace dagaz::ir
