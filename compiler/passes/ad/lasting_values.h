// Which values of a function are still there after it has run: those that code emitted later may
// use instead of computing them again.
#pragma once

#include <vector>

#include "passes/ad/environment.h"

namespace dagaz::passes::ad {

/// The names bound by `statements`, at the outermost level, whose memory no later statement
/// consumes.
ir::NameSet lasting_values(const std::vector<ir::Statement>& statements, const ir::Names& names,
                           FunctionDerivatives& functions);

}  // namespace dagaz::passes::ad
