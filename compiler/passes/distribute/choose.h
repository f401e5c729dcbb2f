// Which extents ranks share: a search over placements by what they cost.
#pragma once

#include "ir/program.h"
#include "passes/distribute/placement.h"
#include "passes/passes.h"

namespace dagaz::passes::distributing {

Placement choose(const ir::Function& function, const ir::Names& names, const RankCosts& costs,
                 Results results);

}  // namespace dagaz::passes::distributing
