// The partial derivatives of the scalar operations: one table for both modes.
//
// Integers are differentiated too, with the rules of the reals; division truncates.  Where a
// function has a kink the convention is the language's: min and max follow the left operand on
// ties, |x|' is the sign, rounding has derivative zero.  Of booleans, only negation passes a
// derivative on.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "ir/ops.h"
#include "passes/ad/environment.h"

namespace dagaz::passes::ad {

/// Whether `op` may have a nonzero derivative with respect to argument `index`.
bool has_derivative(ir::ScalarOp op, int index);

/// A scalar operation with its emitted arguments and result.
struct ScalarSite {
  ir::ScalarOp op;
  ir::ScalarType type;
  ir::ScalarType result_type;
  std::vector<ir::Operand> arguments;
  ir::Operand result;
};

// What ∂op/∂argument is: usually a number, but products by 0 and ±1, choices and conversions are
// kept apart so that they cost nothing.
struct ZeroPartial {};
struct OnePartial {};
struct MinusOnePartial {};
struct FactorPartial {
  ir::Operand value;
};
/// 1 where the condition's value is `if_holds`, else 0.
struct ChoicePartial {
  ir::Operand condition;
  bool if_holds;
};
struct ConversionPartial {
  ir::ScalarOp forward;
  ir::ScalarOp backward;
};
using Partial = std::variant<ZeroPartial, OnePartial, MinusOnePartial, FactorPartial,
                             ChoicePartial, ConversionPartial>;

/// ∂op/∂argument `index`, computed where the environment emits.
Partial partial_derivative(Environment& environment, const ScalarSite& site, int index);
/// partial·tangent, of the result's type; nothing if it is zero.
std::optional<ir::Operand> push_forward(Environment& environment, const ScalarSite& site,
                                        const Partial& partial, ir::Operand tangent);
/// adjoint·partial, of the argument's type; nothing if it is zero.
std::optional<ir::Operand> pull_back(Environment& environment, const ScalarSite& site,
                                     const Partial& partial, ir::Operand adjoint);

}  // namespace dagaz::passes::ad
