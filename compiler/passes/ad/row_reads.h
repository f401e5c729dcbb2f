// Reads of an array's rows, as reads of the array.
//
//   map (\row -> … row[j] …) xs  =  map (\i -> … xs[i, j] …) (iota n)
//   let row = xs[i] in … row[j] …   =  … xs[i, j] …
//
// Inside the lambda of a map, for an array from outside that lambda whose rows are read in places
// alone, perhaps with their dimensions in another order: its adjoint is then sparse in every
// iteration and goes to one accumulator.  The left side would give a dense adjoint of the whole
// array in each.
//
// A stencil reads elements of a row with their neighbours, and those of other rows beside it:
//
//   map (\row -> map (\x -> … x … row[j] … xs[i, j] …) row) xs
//
// There x is a place as well, so that one accumulator has all of them.
#pragma once

#include "ir/names.h"
#include "ir/ops.h"

namespace dagaz::passes::ad {

/// Whose elements are places beside others.  Ranks keep a point's own row apart: they know then
/// which rows their points share with others, and send those.
enum class OwnRows { apart, places };

/// Rewrites `body` and everything nested in it, in which operations are normalised.
void read_through_rows(ir::Body& body, ir::Names& names, OwnRows own);

}  // namespace dagaz::passes::ad
