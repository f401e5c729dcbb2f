// Iterations of a loop share the memory of arrays that each would make for itself.
#pragma once

#include "emit/code/tree.h"

namespace dagaz::emit {

/// Takes scratch memory before the loop whose iterations take and give back as much each, where its
/// size is known there; a scope that then takes none disappears.
void share_scratch(Program& program);

}  // namespace dagaz::emit
