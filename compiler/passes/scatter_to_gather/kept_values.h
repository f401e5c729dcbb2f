// Numbers that the points of a nest compute, as arrays that the nest gives.
#pragma once

#include "ir/names.h"
#include "ir/ops.h"

namespace dagaz::passes::gathering {

/// In how many maps of a nest a value is bound; nothing if in no body of maps and scopes of
/// accumulators, as in a branch.
std::optional<std::size_t> depth_of(ir::NameId value, const ir::Body& nest);
/// Has a statement that opens accumulators for such a nest give `array` of the values.
void give_kept(ir::Statement& with, ir::NameId value, ir::NameId array, ir::Names& names);

}  // namespace dagaz::passes::gathering
