// Variables that keep one value: they need no memory, and LLVM nothing to find that out.
#pragma once

#include <unordered_set>
#include <vector>

#include "tree/tree.h"

namespace dagaz::tree {

/// The variables that one instruction of `code` sets, or that are in `parameters`, and that are
/// read only where they have been set: after it in the same code, or in code inside of what
/// follows. `results` are read at the end.
std::unordered_set<NameId> kept_values(const Code& code,
                                             const std::vector<NameId>& parameters = {},
                                             const std::vector<Operand>& results = {});

}  // namespace dagaz::tree
