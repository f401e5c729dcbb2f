// Points that make numbers of a sum: the sums as a reduction, and the numbers as a map.
#pragma once

#include <optional>

#include "ir/program.h"

namespace dagaz::plan {

/// Two operations in place of a map: sums of all its points, and what becomes of them.
struct SumsApart {
  ir::Statement sums;
  ir::Statement numbers;
};

/// Nothing if a point does more than one sum of what arrays hold, or if nothing comes of its sums.
/// Names bound in both are their own.
std::optional<SumsApart> sums_apart(const ir::Statement& map, ir::Names& names);

}  // namespace dagaz::plan
