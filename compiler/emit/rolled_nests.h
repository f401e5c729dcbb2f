// Which loops are not unrolled because of those inside.
#pragma once

#include "emit/code/tree.h"

namespace dagaz::emit {

/// Sets LoopHints::rolled of loops around others that run as often as is not known: several
/// iterations of these in one of LLVM's have nothing in common but registers, of which they need
/// more.
void keep_nests_rolled(Program& program);

}  // namespace dagaz::emit
