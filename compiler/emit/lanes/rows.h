// Rows of a block that a point's body has inside itself.
#pragma once

#include <functional>

#include "emit/lanes/lanes.h"

namespace dagaz::emit {

/// Emits an iteration of a loop, or those of a block of rows, which differ in the index.
using RowFunction = std::function<void(const LaneScalar& index)>;

/// How many iterations of a statement run at once.
std::int64_t rows_inside(const Lanes& l, const ir::Statement& s);
/// A map: the last block is moved back.
void in_shared_rows(Lanes& l, const Operand& width, std::int64_t rows,
                    const RowFunction& iteration);
/// A reduction or additions: what is left over after the last block goes one by one.
void in_disjoint_rows(Lanes& l, const Operand& width, std::int64_t rows,
                      const RowFunction& iteration);

}  // namespace dagaz::emit
