// Maps whose points accumulate, on the CPU: what they add, and where, is computed in blocks
// (held_blocks.cpp).
#pragma once

#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

void accumulate_in_blocks(Context& c, const ir::Statement& s, const ir::SegmentedMap& e,
                          const ir::HeldBlocks& blocks, const std::vector<Destination>& targets);

}  // namespace dagaz::emit
