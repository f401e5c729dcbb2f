// Rows of points whose inner ones run apart from those at their ends: plan/inner_points.h says why.
#pragma once

#include <functional>

#include "emit/context/context.h"
#include "plan/inner_points.h"

namespace dagaz::emit {

/// Points from `first` to `last` of a row with `extent` points.
struct PartOfRow {
  Operand first;
  Operand last;
  Operand extent;
};

/// `inner` at the inner points, in a loop that runs as `way` says, and `edge` at the others.
void row_with_edges(Context& c, const PartOfRow& part, const plan::InnerPoints& points,
                    const ir::Iterations& way, const std::function<void(const Operand&)>& inner,
                    const std::function<void(const Operand&)>& edge);

}  // namespace dagaz::emit
