// Elements of sums that are there under a condition, without a branch around what they are made of.
//
// The adjoint of a window is a window with a condition for its edges:
//
//   Σ over k of (if inside then w[k] * s[i - k] else 0)
//
// What is under the branch depends on both w's and s's indices, and so would be no product
// (contraction.h).  But the condition can be asked where elements are read:
//
//   Σ over k of (if inside then w[k] else 0) * (if inside then s[i - k] else 0)
//
// where each read belongs to one side again.  Zeros meet zeros: nothing is lost where w is infinite
// outside.  What is no product is chosen by the condition at the end.
#pragma once

#include "ir/program.h"

namespace dagaz::plan {

/// Takes the branch of `elements` apart, if they have one; false where that cannot be.
bool ask_at_reads(ir::Body& elements, ir::Names& names);
/// The read of an element under a condition, or the statement itself if it is a read; else none.
const ir::Index* read_of(const ir::Statement& statement);

}  // namespace dagaz::plan
