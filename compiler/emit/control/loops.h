// Sequential loops.
#pragma once

#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

/// Emits the loop itself around the code of its body.
void emit_loop(Context& c, const ir::Loop& e, Code body);

}  // namespace dagaz::emit
