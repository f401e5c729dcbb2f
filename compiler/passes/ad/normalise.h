// Brings code that is about to be differentiated in reverse into the forms the rules know.
//
// Afterwards every MapScanReduce is one of: a map; one reduction with the identity as its map; one
// scan, likewise.  Histograms and scatters have the identity as their map.  Extrema of what a map
// computes, and those of bins, are values at places that were searched for (extremum.h).  An
// operator that works on rows element by element, other than a sum, has become a map of
// operators on scalars.  Loops with a request for strip-mining are nests; short ones are written
// out (short_loops.h).  Rows that are read in places are read through their array (row_reads.h).
// Fusion puts the parts together again after differentiation.
#pragma once

#include "ir/ops.h"
#include "ir/program.h"
#include "passes/ad/row_reads.h"

namespace dagaz::passes::ad {

/// Normalises `body` and everything nested in it; names that were bound stay bound to the same
/// values.
ir::Body normalise(ir::Body body, ir::Names& names, OwnRows own = OwnRows::places);

}  // namespace dagaz::passes::ad
