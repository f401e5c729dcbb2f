// The arena: memory for arrays of a kernel's threads whose size only the thread knows.
#pragma once

#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

void add_arena_functions(Context& c);
Place arena_array(Context& c, const ir::Type& type);
/// The thread's part of the first level.
void enter_arena(Context& c);
void leave_arena(Context& c);
void allocate_arena(Context& c, const Operand& threads);
Operand arena_bytes(Context& c);
/// They work in the arena of the thread that calls them, from where that has got to; what they take
/// is free again when they return.
void receive_arena(Context& c, Function& function);
void hand_on_arena(Context& c, emit::Call& call);

}  // namespace dagaz::emit
