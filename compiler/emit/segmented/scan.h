// Scans along the innermost dimension of a space.
#pragma once

#include <vector>

#include "emit/context/context.h"
#include "emit/pieces.h"
#include "emit/thread/running.h"

namespace dagaz::emit {

/// One element of a scan: body, operators, post, results.
void scan_point(Context& c, const ir::Statement& s, const ir::SegmentedScan& e,
                const std::vector<Running>& running, const std::vector<Destination>& targets,
                const std::vector<Operand>& point);
/// partial[piece] := the combination of all pieces before it.
void exclusive_over_pieces(Context& c, const ir::SegmentedScan& e, const Pieces& pieces,
                           const std::vector<Place>& partial, const std::vector<ir::Type>& types);

}  // namespace dagaz::emit
