// Reductions whose tasks read several streams of memory side by side.
#pragma once

#include <vector>

#include "emit/context/context.h"
#include "emit/pieces.h"

namespace dagaz::emit {

/// Partial results of the pieces of each segment, for the second stage of the reduction.
void reduce_pieces_in_streams(Context& c, const ir::SegmentedReduce& e, const ir::InPieces& plan,
                              const Pieces& pieces, const Operand& cost,
                              const std::vector<Place>& partial);

}  // namespace dagaz::emit
