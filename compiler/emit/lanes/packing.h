// Rows that lie apart in memory are copied to where the points of a block are neighbours, and back.
#pragma once

#include <optional>

#include "emit/lanes/lanes.h"

namespace dagaz::emit {

/// Does what of `body` needs no row index and copies rows of arrays that are read again and again
/// to where their points are neighbours; the indices but for `rows` are bound.
void prepare(Lanes& l, const ir::Body& body, const std::optional<NameId>& rows);
/// Whether to collect rows of the `result`-th result before they go to `target`.
bool is_collected(const Lanes& l, const LaneArray& target, std::size_t result);
/// Whether elements of the rows that a statement gives are turned over on the way to `target`.
bool is_turned(const Lanes& l, const LaneArray& target, NameId result);
/// Copies one row of each point from where the points are neighbours to where each has a stretch,
/// if it can.
bool turn_over(Lanes& l, const LaneArray& target, const LaneArray& source, const ir::Type& type);
/// The same of as many elements as lanes, which are all of `tile`: they become those of the rows
/// from `first` on.
void turn_tile(Lanes& l, const LaneArray& target, const LaneArray& tile, const Operand& first,
               ScalarType type);

}  // namespace dagaz::emit
