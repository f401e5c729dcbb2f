// Maps in blocks of lanes, in host code or inside a task.
#pragma once

#include <functional>
#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

void map_in_lanes(Context& c, const ir::Statement& s, const ir::SegmentedMap& e,
                  const ir::LaneBlocks& plan, const std::vector<Destination>& targets);
/// Whether a version of `e` in lanes leaves its last points to be computed one by one.
bool leaves_points(const ir::SegmentedMap& e);
/// Those of its points, along its only dimension, from `first` on.
void map_points_from(Context& c, const ir::Statement& s, const ir::SegmentedMap& e,
                     const std::vector<Destination>& targets, const Operand& first);
/// body(block) for `count` blocks, in parallel where this is host code.
void for_blocks(Context& c, const Operand& count, const Operand& cost,
                const std::function<void(Operand)>& body);

}  // namespace dagaz::emit
