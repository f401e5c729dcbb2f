// Combining into memory that other threads combine into at the same time: a machine instruction
// where there is one, else a loop around compare-and-exchange on the bits.
#pragma once

#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

void combine_scalar_atomically(Context& c, const ir::Lambda& op, ScalarType type,
                               const Place& place, const std::vector<Operand>& indices,
                               const Operand& value);
void combine_atomically(Context& c, const ir::Lambda& op, const ir::Type& row, const Place& place,
                        const std::vector<Operand>& indices, const Value& value);

}  // namespace dagaz::emit
