// Reductions in blocks of lanes.
#pragma once

#include <vector>

#include "imperative/context/context.h"
#include "imperative/pieces.h"

namespace dagaz::imperative {

/// The first stage: pieces of segments.
void reduce_pieces_in_lanes(Context& c, const ir::Statement& s, const ir::SegmentedReduce& e,
                            const ir::LaneBlocks& plan, const Pieces& pieces, const Operand& cost,
                            const std::vector<Destination>& mapped,
                            const std::vector<Place>& partial);

}  // namespace dagaz::imperative
