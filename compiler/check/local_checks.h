// Rules that a typed definition must follow besides having types: where functions may stand, what
// can be compared, which numbers fit their types, and how a function may call itself.
#pragma once

#include "check/context.h"

namespace dagaz::check {

/// Checks one definition whose types and sizes are final.
void check_locally(Context& context, const ast::Function& function);

/// Checks how the recursive function `id` calls itself.  `range` is the name of its definition.
void check_recursion(Context& context, BindingId id, const ast::Function& function,
                     const Range& range);

/// Whether values of `type` are or hold no functions.
bool is_first_order(const Context& context, const Type* type);

}  // namespace dagaz::check
