// Maps whose points accumulate near themselves: stencils and rotations, on the CPU.
#pragma once

#include <vector>

#include "emit/context/context.h"
#include "emit/host/parallel_for.h"

namespace dagaz::emit {

/// Every second piece, then the others; each is at least `distance` long.  Points that never meet
/// need no turns.
void accumulate_apart(Context& c, const std::vector<std::size_t>& shared, const Operand& count,
                      const Operand& cost, const Operand& distance, const RangeFunction& body);

}  // namespace dagaz::emit
