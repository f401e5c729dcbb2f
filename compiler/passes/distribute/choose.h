// Which extents ranks share: a search over placements by what they cost.
#pragma once

#include "ir/program.h"
#include "passes/distribute/placement.h"
#include "passes/passes.h"

namespace dagaz::passes::distributing {

/// What the program says itself.
struct Wishes {
  std::vector<ir::Operand> shared;
  std::vector<ir::Operand> whole;
};

Placement choose(const ir::Function& function, const ir::Names& names, const RankCosts& costs,
                 Results results, const Wishes& wishes, const Requests& requests);

}  // namespace dagaz::passes::distributing
