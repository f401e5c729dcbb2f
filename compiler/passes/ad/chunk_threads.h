// Chunks that run one after the other keep one thread busy, and several where they are larger.
#pragma once

#include "ir/builder.h"

namespace dagaz::passes::ad {

/// How many times the elements that employ a thread a chunk has: twice the number of threads, so
/// that starting them pays, 1 for one.  Also 1 on a GPU, where chunks employ all threads anyway.
ir::Operand times_for_threads(ir::Builder& out, bool in_order);

}  // namespace dagaz::passes::ad
