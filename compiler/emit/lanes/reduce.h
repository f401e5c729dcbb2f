// Reductions in blocks of lanes.
#pragma once

#include <vector>

#include "emit/context/context.h"
#include "emit/pieces.h"

namespace dagaz::emit {

/// The first stage: pieces of segments.
void reduce_pieces_in_lanes(Context& c, const ir::Statement& s, const ir::SegmentedReduce& e,
                            const ir::LaneBlocks& plan, const Pieces& pieces, const Operand& cost,
                            const std::vector<Destination>& mapped,
                            const std::vector<Place>& partial);

}  // namespace dagaz::emit
