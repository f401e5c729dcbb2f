// Reductions of scalars by threads of a GPU.
#pragma once

#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

/// Along the last dimensions of the space, so many as `levels`.
void reduce_by_teams(Context& c, const ir::Statement& s, const ir::SegmentedReduce& e,
                     std::size_t levels, const ir::Teams& teams, const std::vector<ir::Type>& types,
                     const std::vector<Place>& totals, const std::vector<Destination>& mapped);

/// The same, in tiles of segments that share what they read.
void reduce_in_staged_tiles(Context& c, const ir::Statement& s, const ir::SegmentedReduce& e,
                            const ir::StagedTiles& tiles, const std::vector<Place>& totals,
                            const std::vector<Destination>& mapped);

}  // namespace dagaz::emit
