// Which arrays a statement of original code consumes: those that code emitted for the return sweep
// must not lose.
#pragma once

#include <vector>

#include "passes/ad/environment.h"

namespace dagaz::passes::ad {

/// The arrays from outside `statement` that it consumes, each once.
std::vector<ir::NameId> consumed_arrays(const ir::Statement& statement, const ir::Names& names,
                                        FunctionDerivatives& functions);
/// The names, bound outside or parameters, that the statements consume, directly or through a
/// view.
ir::NameSet consumed_names(const std::vector<ir::Statement>& statements, const ir::Names& names,
                           FunctionDerivatives& functions);

}  // namespace dagaz::passes::ad
