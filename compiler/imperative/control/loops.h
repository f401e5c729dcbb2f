// Sequential loops.
#pragma once

#include <vector>

#include "imperative/context/context.h"

namespace dagaz::imperative {

/// Emits the loop itself around the code of its body.
void emit_loop(Context& c, const ir::Loop& e, Code body);

}  // namespace dagaz::imperative
