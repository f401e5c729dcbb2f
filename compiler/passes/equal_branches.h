// What a branch computes again after an earlier one on the same condition has:
//
//   y = if c then g (f x) else …;          y, t = if c then let t = f x in (g t, t) else (…, 0);
//   z = if c then h (f x) else …      =    z    = if c then h t else …
//
// if f takes longer than to hand its result on.  The reverse sweep of a branch executes the side
// taken again, so that gradients have such pairs.
#pragma once

#include "ir/program.h"

namespace dagaz::passes {

/// Lets branches anywhere in `body` take scalars from earlier ones of their scope; whether any did.
bool share_between_branches(ir::Body& body, ir::Names& names);

}  // namespace dagaz::passes
