// Work that a return sweep repeats although its scope has just done it.
//
// The return sweep of a map executes the map's body again.  Where the forward sweep of the same
// scope contains that map too, the two differ in what follows from the repeated values alone:
//
//   ys = map (\x -> g (f x)) xs;  …;  x̄s = map (\x ȳ -> h (f x) ȳ) xs ȳs
//
// If f x is kept, which costs memory, the second map need not find it once more.
#pragma once

#include <functional>
#include <vector>

#include "passes/ad/environment.h"

namespace dagaz::passes::ad {

/// Lets maps take from an earlier map of `statements`, over arrays that both map over, what takes
/// a loop to find, if an array of these values `may_be_kept` (a type).
void keep_repeated_work(std::vector<ir::Statement>& statements, Environment& environment,
                        const std::function<bool(const ir::Type&)>& may_be_kept);

}  // namespace dagaz::passes::ad
