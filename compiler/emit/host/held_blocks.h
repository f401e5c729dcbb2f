// Elements that end in a step which must run in order, on the CPU: what that step needs is computed
// for a block of them at a time, in a loop that vectorises, and held for a loop that cannot.
//
//   for i: d[f i] ⊙= g i          becomes, for blocks of i,
//   for i: at[i] = f i; v[i] = g i
//   for i: d[at[i]] ⊙= v[i]
//
// A value that is no more than read, g i = x[i], is read in the second loop.
#pragma once

#include <functional>
#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

/// A body for the elements of a row.
struct BlockBody {
  const std::vector<ir::SpaceDimension>& space;
  const ir::Body& body;
  const std::vector<Destination>& targets;  // where the first results go
  std::vector<ir::Type> types;              // of the others, which are used in turn
  std::function<std::vector<Operand>(const Operand& i)> point;
};

/// Computes `blocks.elements` of the elements at a time, and then uses them in order.
void in_blocks(Context& c, const Operand& count, const ir::HeldBlocks& blocks,
               const BlockBody& elements, const Finish& use);

}  // namespace dagaz::emit
