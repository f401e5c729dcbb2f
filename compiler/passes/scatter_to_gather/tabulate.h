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
/// The same, where dimensions of a constant extent may be written out, an element for each index,
/// as a literal of numbers of `type`.
ir::Operand tabulate_partly(const std::vector<ir::Operand>& shape,
                            const std::vector<bool>& written_out, ir::ScalarType type,
                            std::vector<ir::Operand> at, const Element& element, ir::Builder& out);
/// What `build` gives for each index of `shape`, combined: by a sum, or whether all hold.
ir::Operand combine(const std::vector<ir::Operand>& shape, std::vector<ir::Operand> at,
                    ir::ScalarOp op, ir::ScalarType type, const Element& build, ir::Builder& out);
/// Both conditions; `a` may be the constant true.
ir::Operand both(const ir::Operand& a, const ir::Operand& b, ir::Builder& out);
ir::Operand is_less(const ir::Operand& a, const ir::Operand& b, ir::Builder& out);

}  // namespace dagaz::passes::gathering
