// Iotas and replicated scalars that are only read element by element never lie in memory.
#pragma once

#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

/// Makes the array one without memory, if it may be.
bool make_virtual(Context& c, NameId result, ScalarType element, const Operand& start,
                  const std::optional<Operand>& stride);
Operand virtual_element(Context& c, const VirtualArray& array, const Operand& index);

}  // namespace dagaz::emit
