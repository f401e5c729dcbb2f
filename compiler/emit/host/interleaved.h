// Transpositions to rows that have fewer elements than a vector has lanes: pixels, channels last.
#pragma once

#include <functional>

#include "emit/host/squares.h"

namespace dagaz::emit {

/// In parallel, or where rows are not written one right after another by `one_by_one`.
void copy_interleaved(Context& c, const Crossing& crossing,
                      const std::function<void()>& one_by_one);

}  // namespace dagaz::emit
