// Values of a map that its return map gives, which executes the lambda anyway:
//
//   ys = map f xs;  y = sum ys;  x̄s = map (\x -> …f x again, back…) xs
//   ys, x̄s = map (\x -> …f x, back…) xs;  y = sum ys
//
// Possible where what is swept back into the map does not depend on what it gave, as in sums of
// errors, of which training steps are the derivatives: a value and its gradient then cost as much
// as the gradient alone.
#pragma once

#include "passes/ad/reverse.h"
#include "passes/ad/rules/return_map.h"

namespace dagaz::passes::ad {

/// Whether values are wanted of the map that its return map may give: nothing that was swept back
/// so far needs them.
bool values_may_wait(Reverse& r, const MapSite& site);

/// Takes back the values that the return map is to give if finding them takes loops as deep as
/// those that it executes for the adjoints.
void keep_values_that_are_there(Reverse& r, ReturnMap& back);

/// After the return map was emitted: its values are those of the forward sweep's map, which goes.
void give_values(Reverse& r, const MapSite& site, const ReturnMap& back);

}  // namespace dagaz::passes::ad
