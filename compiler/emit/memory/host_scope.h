// Blocks of host code: who owns them, and code that has blocks of its own.
#pragma once

#include <functional>

#include "emit/context/context.h"

namespace dagaz::emit {

/// The host owns `block`, memory of `array` and of all that lies in it, for as long as that lives.
void own(Context& c, NameId block, NameId array);
/// What `build` emits owns the blocks that it makes.
void in_host_scope(Context& c, const std::function<void()>& build);
/// A branch in host code that belongs to one statement: blocks made in it die in it.
void host_branch(Context& c, const Operand& condition, const std::function<void()>& yes,
                 const std::function<void()>& no = {});

}  // namespace dagaz::emit
