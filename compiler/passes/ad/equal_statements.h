// Equal scalars and equal results of maps, shared: what the two sweeps repeat, before it is decided
// what is worth keeping.
#pragma once

#include <vector>

#include "passes/ad/environment.h"

namespace dagaz::passes::ad {

/// Removes scalar statements, also in maps inside, that repeat an earlier one of their scope or of
/// one around it, and replaces what they gave, also where the caller has `held` it.
void share_equal_statements(std::vector<ir::Statement>& statements, Environment& environment,
                            std::vector<ir::Operand*> held);

}  // namespace dagaz::passes::ad
