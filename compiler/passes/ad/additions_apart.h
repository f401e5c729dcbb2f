// A map of the return sweep that makes values and adds to accumulators, as a map that makes values
// and one that adds.
//
//   with img: map (\f -> let t = … in (… t …, img[…] += f·t)) fs
//     =  let (…, ts) = map (\f -> let t = … in (… t …, t)) fs
//        with img: map2 (\f t -> img[…] += f·t) fs ts
//
// A branch, or the scope of other accumulators, that does both is there twice.
//
// What is added is kept for all points unless it is cheap to compute again.  Then elements of the
// accumulator can know who adds to them (scatter_to_gather/window.h), and the values are a nest of
// their own, which a map around can sum (interchange.h): in the gradient of a layer of a network
// both are products again.  It is done only where elements know that, and where the values are made
// of sums: what takes little stays in one traversal with the additions.
#pragma once

#include <optional>

#include "passes/ad/environment.h"

namespace dagaz::passes::ad {

struct Apart {
  ir::Statement values;
  ir::Statement additions;
};

/// The scope of accumulators around one map, in two; nothing where that cannot be, or elements of
/// some accumulator would not know who adds to them, as those of rows that ranks share may not.
std::optional<Apart> set_additions_apart(const ir::Statement& with, bool for_ranks,
                                         Environment& environment);

}  // namespace dagaz::passes::ad
