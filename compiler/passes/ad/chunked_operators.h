// Reductions, scans and histograms in chunks.
//
// The return sweep of one with a general operator needs, for every element, what came before it and
// what comes after.  Cut into chunks, one after the other, it keeps what has come before each
// chunk, a few numbers; the arrays of a chunk exist for that chunk alone:
//
//   reduce ⊙ e (map f xs)  =  loop a = e for c < chunks do a ⊙ reduce ⊙ e (map f xs[c])
//   scan ⊙ e (map f xs)    =  the same, with the first element of a chunk taking along what the
//                             scan before it ended with
//   hist ⊙ d is vs         =  loop d for c < chunks do hist ⊙ d is[c] vs[c]
//
// with xs[c] the c-th chunk.  The functions mapped before and after take part in the loop, so that
// what they compute is not kept either.
#pragma once

#include "ir/builder.h"
#include "ir/ops.h"
#include "ir/program.h"
#include "passes/passes.h"

namespace dagaz::passes::ad {

/// Brings what depends on `parameters` in `body` into this form, wherever no map is around it.  A
/// chunk has `options.least_chunk` elements or more, for one thread; `before` gets what is computed
/// ahead of the body.
ir::Body with_chunked_operators(ir::Body body, const std::vector<ir::Binder>& parameters,
                                ir::Builder& before, const AdOptions& options);

}  // namespace dagaz::passes::ad
