// A pass of a radix sort on a GPU in one kernel.
#pragma once

#include "emit/context/context.h"

namespace dagaz::emit {

/// The map is such a pass (plan/radix_pass.h); a thread takes as many elements as `plan` says.
void radix_pass(Context& c, const ir::Statement& s, const ir::SegmentedMap& e,
                const ir::LookBack& plan);

}  // namespace dagaz::emit
