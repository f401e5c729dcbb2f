// Chunks that run one after the other keep one thread busy, and several where they are larger.
#pragma once

#include "ir/builder.h"

namespace dagaz::passes::ad {

/// How many times the elements that employ one thread a chunk has: on several threads twice as many
/// as there are, so that starting them pays.  On a GPU chunks employ all threads anyway.
ir::Operand times_for_threads(ir::Builder& out, bool in_order);

}  // namespace dagaz::passes::ad
