// Code for some points of a block: a mask says which run (Allen, Kennedy, Porterfield and Warren,
// "Conversion of control dependence to data dependence", POPL 1983; ispc's execution mask).
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "emit/lanes/lanes.h"

namespace dagaz::emit {

/// Emits `body` for those points of the mask where `condition` holds, too.  It runs where there is
/// one: what is the same for all points of the block may be computed there.
void where(Lanes& l, const LaneScalar& condition, const std::function<void()>& body);
/// The same without a branch round it: for a body that may run for no point.
void where_or_nowhere(Lanes& l, const LaneScalar& condition, const std::function<void()>& body);
/// The mask and `condition`.
LaneScalar masked(Lanes& l, const LaneScalar& condition);
/// Whether `indices` lie inside of `shape`.
LaneScalar are_inside(Lanes& l, const std::vector<LaneScalar>& indices,
                      const std::vector<Operand>& shape);
LaneScalar negated(Lanes& l, const LaneScalar& condition);
Operand holds_somewhere(Lanes& l, const LaneScalar& condition);
/// The lanes of one vector that run; nothing where all do.
std::optional<Operand> mask_of(Lanes& l, std::int64_t row, std::int64_t column);
/// `value` where points run, `otherwise` where they don't.
LaneScalar where_running(Lanes& l, const LaneScalar& value, const LaneScalar& otherwise);
/// Sets variables of the points that run.
void set_where_running(Lanes& l, const LaneScalar& variables, const LaneScalar& value);

}  // namespace dagaz::emit
