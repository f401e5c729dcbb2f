// Scans in blocks of lanes.
#pragma once

#include <vector>

#include "emit/context/context.h"
#include "emit/thread/running.h"

namespace dagaz::emit {

/// Where a part of a segment lies, in blocks.
struct ScannedBlocks {
  const std::vector<Operand>& outer;
  Operand start;
  Operand count;
};
/// What these points come to behind `running`, which takes it in.
void combine_blocks(Context& c, const ir::SegmentedScan& e, const ir::LaneBlocks& plan,
                    const ScannedBlocks& blocks, const std::vector<Running>& running);
/// These points behind `running`, which goes on with them.
void scan_blocks(Context& c, const ir::Statement& s, const ir::SegmentedScan& e,
                 const ir::LaneBlocks& plan, const std::vector<Destination>& targets,
                 const ScannedBlocks& blocks, const std::vector<Running>& running);

}  // namespace dagaz::emit
