// Reductions by warps of a GPU whose operators do not commute.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "emit/context/context.h"
#include "emit/thread/running.h"

namespace dagaz::emit {

/// Computes values of element `i` of a team's part for `use`.
using ElementValues = std::function<void(
    const Operand& i, const std::function<void(const std::vector<Value>&)>& use)>;

/// A team's part, seen by one of its threads.
struct OrderedPart {
  Operand rank;   // of the thread in its team
  Operand warps;  // of the team
  Operand length;
  Operand most;  // the length of the longest part, the same for a whole block
};

/// What tiles of warps hold, `stretch` elements for each thread, in the shared memory of a block.
struct OrderedTiles {
  const std::vector<ir::ReduceOperator>& operators;
  std::vector<ir::Type> types;  // of an element's values
  int stretch;
  std::int64_t offset;               // where they begin
  std::vector<bool> held = {};       // which of an element's values
  ElementValues values = nullptr;    // all of an element
  ElementValues not_held = nullptr;  // the others, computed again where they are combined
  std::int64_t end() const;
};

/// After it, the first thread of each warp holds the combination of its warp's share of the part,
/// which stands before those of the warps after it.  All threads of the block take part.
void reduce_in_order(Context& c, const OrderedTiles& tiles, const OrderedPart& part,
                     const std::vector<Running>& running);

}  // namespace dagaz::emit
