// Chunks that run one after the other keep several threads busy where they are larger.
#pragma once

#include "ir/builder.h"

namespace dagaz::passes::ad {

/// How many threads share a chunk, as far as it has to have elements for each.  On a GPU chunks
/// employ all threads anyway: 1.
ir::Operand threads_of_chunk(ir::Builder& out, bool in_order);

}  // namespace dagaz::passes::ad
