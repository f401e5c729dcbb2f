// Arrays that the rules of reverse mode make of emitted arrays, and what goes in and out of them at
// places that may be outside.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "passes/ad/environment.h"

namespace dagaz::passes::ad {

/// The value of an array's element, given elements of other arrays at the same place.
using Element = std::function<ir::Operand(const std::vector<ir::NameId>&)>;

/// map element arrays, of arrays with `width` rows.
ir::NameId map_here(Environment& environment, const ir::Operand& width,
                    const std::vector<ir::NameId>& arrays, const Element& element);
/// The same for every element of arrays of this shape.
ir::NameId map_bins(Environment& environment, const std::vector<ir::Operand>& shape,
                    const std::vector<ir::NameId>& arrays, const Element& element);
/// xs reversed along the outer dimension.
ir::NameId reversed(Environment& environment, ir::NameId array, const ir::Operand& width);
/// [first, xs[0], …, xs[width-2]]
ir::NameId shifted(Environment& environment, ir::NameId array, const ir::Operand& first,
                   const ir::Operand& width);

/// if condition then yes else no
ir::Operand choose(Environment& environment, const ir::Operand& condition, const ir::Operand& yes,
                   const ir::Operand& no);
/// For each element: `value` where the flag holds, else the row of `array`.
ir::NameId choose_rows(Environment& environment, const ir::Operand& width, ir::NameId flags,
                       const ir::Operand& value, ir::NameId array);

/// array[indices…], or zero where an index is outside.
ir::Operand guarded_index(Environment& environment, ir::NameId array,
                          const std::vector<ir::Operand>& indices);
/// Adds `value` to the part of the accumulator at `indices`, places in the first dimensions, and
/// `dimensions`, those after.  Gives the accumulator after that.
ir::NameId accumulate_nest(Environment& environment, ir::NameId accumulator,
                           std::vector<ir::Operand> indices,
                           std::span<const ir::SliceDimension> dimensions, ir::Operand value);

}  // namespace dagaz::passes::ad
