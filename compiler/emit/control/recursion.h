// Functions that call themselves stop with an error before the stack of their thread is full.
#pragma once

#include <string>

#include "emit/context/context.h"

namespace dagaz::emit {

/// Makes the limit of the stack a parameter of a function that calls itself.
void receive_stack_limit(Context& c, Function& function);
/// Gives it to `callee`, if that calls itself; what may be one more level of a recursion fails
/// where no stack is left.
void hand_on_stack_limit(Context& c, emit::Call& call, const std::string& callee,
                         ir::LocationId location);

}  // namespace dagaz::emit
