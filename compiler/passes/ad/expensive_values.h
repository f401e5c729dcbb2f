// What the maps of a loop compute inside, as results: so that the loop's iterations can keep it.
//
//   ys = map (\x -> g (exp x)) xs      =     ys, es = map (\x -> let e = exp x in (g e, e)) xs
//
// The return sweep of the map then reads e rather than executing exp again, and what e was computed
// from only for it.
#pragma once

#include "ir/names.h"
#include "ir/ops.h"

namespace dagaz::passes::ad {

/// Lets the maps of the body, which is normalised, give exponentials and the like, and sums.
void give_expensive_values(ir::Body& body, ir::Names& names);

}  // namespace dagaz::passes::ad
