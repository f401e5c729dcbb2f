// Where the least or greatest of many numbers is: the value there is the extremum, so only there is
// the function that computes the numbers differentiated, and the adjoints of what it reads are
// sparse.
#pragma once

#include "ir/builder.h"

namespace dagaz::passes::ad {

/// Whether `op` is a minimum or maximum.
bool is_extremum(ir::ScalarOp op);
/// Whether every operator of `histogram` is one, on numbers.
bool finds_extrema(const ir::Histogram& histogram);
/// The reduction of (value, index) to the extremum of the values and the first index where it is;
/// over nothing, `neutral` and the greatest i64.  NaN loses to numbers, as in `op` itself.
ir::ReduceOperator first_extremum(ir::ScalarOp op, ir::ScalarType type, ir::Operand neutral,
                                  ir::Builder& out);

/// minimum (map f xs)  =  f xs[i], for the place i of the first minimum.
void reduce_at_winner(ir::Statement statement, ir::MapScanReduce map, ir::Builder& out);
/// hist min d is (map f xs)  =  map (\d w -> if w < 0 then d else f xs[w]) d ws, for the places w
/// of the first minima, -1 where the destination itself is as small.
void combine_at_winners(ir::Statement statement, ir::Histogram histogram, ir::Builder& out);

}  // namespace dagaz::passes::ad
