// Stencils on the CPU: several maps, or one, as one loop over points.
#pragma once

#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

/// One map, whose inner points read whole vectors.
void emit_inner_points(Context& c, const ir::Statement& s, const ir::FusedStencil& plan,
                       const std::vector<Destination>& targets);
/// Emits several maps of the current scope, from statement `first` on, if the first of them says
/// that they run together; how many there were.
std::size_t emit_together(Context& c, const std::vector<ir::Statement>& statements,
                          std::size_t first);

}  // namespace dagaz::emit
