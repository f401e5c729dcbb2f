// Arrays by index, and conditions on indices.
#pragma once

#include <functional>
#include <vector>

#include "ir/builder.h"

namespace dagaz::passes::gathering {

using Element = std::function<ir::Operand(ir::Builder&, const std::vector<ir::Operand>&)>;

/// An array of `shape` of what `element` gives for each index; `at` holds those of dimensions
/// before.
ir::Operand tabulate(const std::vector<ir::Operand>& shape, std::vector<ir::Operand> at,
                     const Element& element, ir::Builder& out);
/// Both conditions; `a` may be the constant true.
ir::Operand both(const ir::Operand& a, const ir::Operand& b, ir::Builder& out);
ir::Operand is_less(const ir::Operand& a, const ir::Operand& b, ir::Builder& out);

}  // namespace dagaz::passes::gathering
