// Values that are elements of memory as they are: somebody else than the thread that needs them may
// bring them (async_copies.h).
#pragma once

#include <optional>
#include <vector>

#include "ir/program.h"

namespace dagaz::plan {

/// An element of memory; 0 where the condition, if there is one, does not hold.
struct MemoryElement {
  ir::NameId array;
  std::vector<ir::Operand> indices;
  std::optional<ir::Operand> condition = std::nullopt;
};
struct MemoryElements {
  std::vector<MemoryElement> reads;  // of each value
  ir::Body places;                   // computes where they are
};
/// What `body` reads as `values`; nothing where one of them is computed from what is read.
std::optional<MemoryElements> elements_of(const ir::Body& body,
                                          const std::vector<ir::NameId>& values,
                                          const ir::Names& names);
}  // namespace dagaz::plan
