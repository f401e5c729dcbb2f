// Scans in blocks of lanes.
#pragma once

#include <functional>
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
/// Hands on the whole blocks of the points from `low` to `high`; the first point behind them, which
/// is `low` where there are no `lanes`.
Operand for_blocks(Context& c, const ir::LaneBlocks* lanes, const std::vector<Operand>& outer,
                   const Operand& low, const Operand& high,
                   const std::function<void(const ScannedBlocks&)>& use);
/// What these points come to behind `running`, which takes it in.
void combine_blocks(Context& c, const ir::SegmentedScan& e, const ir::LaneBlocks& plan,
                    const ScannedBlocks& blocks, const std::vector<Running>& running);
/// These points behind `running`, which goes on with them.
void scan_blocks(Context& c, const ir::Statement& s, const ir::SegmentedScan& e,
                 const ir::LaneBlocks& plan, const std::vector<Destination>& targets,
                 const ScannedBlocks& blocks, const std::vector<Running>& running);

}  // namespace dagaz::emit
