// A scan that says where elements go and the scatters that put them there, as one loop.
#pragma once

#include <cstddef>
#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

/// Emits the statements from `first` on that its schedule puts together; how many, or none.
std::size_t emit_compaction(Context& c, const std::vector<ir::Statement>& statements,
                            std::size_t first);

}  // namespace dagaz::emit
