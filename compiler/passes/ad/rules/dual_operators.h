// Operators of reductions, scans and histograms on values followed by their tangents.
#pragma once

#include <vector>

#include "passes/ad/forward.h"

namespace dagaz::passes::ad {

/// The parameters: first operands with their tangents, then second operands.
ir::Lambda dual_operator(Forward& f, const ir::Lambda& op, const Slots& slots);
/// Neutral elements of an operator, followed by zeros.
std::vector<ir::Operand> dual_neutral(Forward& f, const std::vector<ir::Operand>& originals,
                                      const Slots& slots);

}  // namespace dagaz::passes::ad
