// Segments of a scan cut into links, which tasks of a CPU take one after the other.
#pragma once

#include <functional>
#include <vector>

#include "emit/context/context.h"
#include "emit/pieces.h"
#include "emit/thread/running.h"

namespace dagaz::emit {

/// A part of a segment, whose first element is `start`.
struct Link {
  std::vector<Operand> outer;
  Operand start;
  Operand length;
  Operand is_last;              // of its segment
  std::vector<Running> before;  // what the elements before it come to
  std::vector<Running> behind;  // with its own; unknown if it is the last
  Operand ahead;                // what the task takes next starts so many elements on; 0: unknown
};
using LinkFunction = std::function<void(const Link&)>;

/// What the elements from `start` on come to, in blocks of `lanes` if there are.
std::vector<Running> total_of(Context& c, const ir::SegmentedScan& e, const ir::LaneBlocks* lanes,
                              const std::vector<Operand>& outer, const Operand& start,
                              const Operand& length);
/// The running values of elements behind those that gave `initial`.
void start_behind(Context& c, const ir::SegmentedScan& e, const std::vector<Running>& running,
                  const std::vector<Value>& initial);
/// Host code of a CPU: `use` for each link of a scan that costs so much an element, whose totals
/// are in blocks of `lanes` if there are.
void for_each_link(Context& c, const ir::SegmentedScan& e, const Operand& cost,
                   const ir::LaneBlocks* lanes, const LinkFunction& use);

}  // namespace dagaz::emit
