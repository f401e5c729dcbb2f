// Operators of reductions, scans and histograms, as original code that is swept on its own.
#pragma once

#include <vector>

#include "passes/ad/reverse.h"

namespace dagaz::passes::ad {

/// The operator as original code in which what it uses from outside is constant.
ir::Lambda constant_operator(Reverse& r, const ir::Lambda& op);
/// \l x r -> (l ⊙ x) ⊙ r as original code, for l, x and r of as many components as ⊙ has.  What the
/// operator uses from outside is active in the application l ⊙ x only: r takes part in it where it
/// is the element in turn.
ir::Lambda middle_operator(Reverse& r, const ir::Statement& statement, const ir::Lambda& op);
/// The adjoints of the operator's operands, at values of them, for those of its results.
std::vector<ir::Operand> operand_adjoints(Reverse& r, const ir::Lambda& op,
                                          const std::vector<ir::Operand>& arguments,
                                          const std::vector<ir::Operand>& adjoints);

}  // namespace dagaz::passes::ad
