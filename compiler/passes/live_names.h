// Which names of a function are needed for its results.
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/ops.h"
#include "ir/program.h"

namespace dagaz::passes {

using namespace ir;  // NOLINT: private header of passes

struct LiveNames {
  std::vector<bool> live;  // by name
  /// The tokens that guard the width of the maps whose first input is the array.
  std::unordered_map<NameId, std::vector<NameId>> guards;
};

LiveNames find_live_names(const Function& function, const Names& names);

}  // namespace dagaz::passes
