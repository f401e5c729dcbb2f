// Memory for concatenations.  In host code that of the whole may be there before its pieces, which
// are then made where they end up (memory/concatenations.cpp).
#pragma once

#include <vector>

#include "emit/context/context.h"

namespace dagaz::emit {

/// Memory for the result of a concatenation, in the order in which it is wanted.
Place place_concatenation(Context& c, NameId result, const std::vector<Operand>& shape,
                          const Operand& bytes);
std::vector<Place> places_of_pieces(Context& c, const Place& whole,
                                    const std::vector<Operand>& widths);
/// Where what a map makes lies so that it is a piece of `whole`, seen through views.
Place place_of_origin(Context& c, NameId origin, NameId whole);
/// Binds a view that lies where it is wanted, if `result` is one.
bool bind_placed_view(Context& c, NameId result);

}  // namespace dagaz::emit
