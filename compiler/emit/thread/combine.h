// Combining values into an array, by one thread at a time.
#pragma once

#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

Operand is_inside(Context& c, const std::vector<Operand>& indices,
                  const std::vector<Operand>& shape);
/// targets[indices] := op(targets[indices], values)
void combine_at(Context& c, const ir::Lambda& op, const std::vector<Place>& targets,
                const std::vector<Operand>& indices, const std::vector<Value>& values);

}  // namespace dagaz::emit
