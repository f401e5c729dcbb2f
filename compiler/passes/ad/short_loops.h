// Loops of a few iterations that only compute, written out before they are differentiated.
//
//   loop x for i < 3 do f i x   =   f 2 (f 1 (f 0 x))
//
// As a loop, its return sweep executes every iteration again from values that it has to store, and
// f of each i, which may be a constant, is evaluated anew.  Written out, what an iteration has
// computed is there when its derivatives are.
#pragma once

#include "ir/builder.h"

namespace dagaz::passes::ad {

/// Puts the iterations of a loop into `out`; false, with nothing done, where the statement is not
/// such a loop.
bool write_out_short_loop(const ir::Statement& statement, ir::Builder& out);

}  // namespace dagaz::passes::ad
