// The points of a space on a CPU: the whole space is one flat range cut into pieces; a piece walks
// its rows, the first and the last perhaps only in part, so that the innermost loop has unit steps
// and no division.
#pragma once

#include <functional>
#include <vector>

#include "emit/context/context.h"
#include "emit/points.h"

namespace dagaz::emit {

/// Works on [low, high) of the innermost dimension at `outer`.
using StretchFunction =
    std::function<void(const std::vector<Operand>& outer, Operand low, Operand high)>;

void parallel_points(Context& c, const std::vector<Operand>& extents, const PointWork& work,
                     const PointFunction& body);
/// In parallel, for stretches of rows.
void parallel_rows(Context& c, const std::vector<Operand>& extents, const Operand& cost,
                   const StretchFunction& body);
/// Points of which few are along the last of several dimensions: one loop, which counts on.
void parallel_few(Context& c, const std::vector<Operand>& extents, const Operand& cost,
                  const PointFunction& body);

}  // namespace dagaz::emit
