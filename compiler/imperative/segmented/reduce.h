// Reductions along the innermost dimension of a space.
#pragma once

#include <vector>

#include "imperative/context/context.h"
#include "imperative/thread/running.h"

namespace dagaz::imperative {

void reduce_point(Context& c, const ir::Statement& s, const ir::SegmentedReduce& e,
                  const std::vector<Running>& running, const std::vector<Destination>& mapped,
                  const std::vector<Operand>& point);

}  // namespace dagaz::imperative
