// Copies of arrays whose neighbours lie along another dimension than those of what they are copied
// from: a transposition.
#pragma once

#include <functional>

#include "emit/context/context.h"
#include "plan/copies.h"

namespace dagaz::emit {

/// Copies in squares of vectors, in parallel, or where the arrays are too small for that by
/// `one_by_one`.
void copy_in_squares(Context& c, const Place& target, const Place& source, const ir::Type& type,
                     const plan::CopySquares& plan, const std::function<void()>& one_by_one);

}  // namespace dagaz::emit
