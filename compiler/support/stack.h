// How much of the stack is left, for whoever recurses as deep as a program makes it.
#pragma once

namespace dagaz {

/// Whether the stack of this thread is full but for a reserve; no, where its end is unknown.
bool stack_is_full();

}  // namespace dagaz
