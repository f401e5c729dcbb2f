// Custom derivatives: what of their functions is differentiated, and what becomes of those that
// nothing differentiates any more.
#pragma once

#include <cstddef>

#include "passes/ad/environment.h"

namespace dagaz::passes::ad {

/// Replaces each CustomDerivative in `body` by its function: to be done when all derivatives are
/// made, since a function that is not inlined is differentiated at its calls, and an unused adjoint
/// may still be asked for by a derivative further out.
void inline_custom_derivatives(ir::Body& body, ir::Names& names, FunctionDerivatives& functions);

/// Where among the results of its function those begin that derivatives see.  They are the last
/// ones, unless the adjoint takes less than the tape and their adjoints: then the rest of the tape
/// is the same values, computed in a way that can be differentiated.
std::size_t first_differentiated(const ir::CustomDerivative& custom);

}  // namespace dagaz::passes::ad
