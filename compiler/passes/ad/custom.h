// Custom derivatives that nothing differentiates any more.
#pragma once

#include "passes/ad/environment.h"

namespace dagaz::passes::ad {

/// Replaces each CustomDerivative in `body` by its function: to be done when all derivatives are
/// made, since a function that is not inlined is differentiated at its calls, and an unused adjoint
/// may still be asked for by a derivative further out.
void inline_custom_derivatives(ir::Body& body, ir::Names& names, FunctionDerivatives& functions);

}  // namespace dagaz::passes::ad
