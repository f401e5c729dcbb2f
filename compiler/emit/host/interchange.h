// Reductions in tiles of accumulators, the loop over what is reduced outside.
#pragma once

#include <vector>

#include "emit/context/context.h"
#include "emit/pieces.h"

namespace dagaz::emit {

void emit_interchanged(Context& c, const ir::Statement& s, const ir::SegmentedMap& e,
                       const ir::Interchanged& tiles, const std::vector<Destination>& targets);
/// Partial results of the pieces of each segment, for the second stage of the reduction.
void reduce_pieces_interchanged(Context& c, const ir::SegmentedReduce& e,
                                const ir::Interchanged& tiles, const Pieces& pieces,
                                const Operand& cost, const std::vector<Place>& partial);

}  // namespace dagaz::emit
