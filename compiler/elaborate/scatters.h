// Scatters of arrays whose elements have several leaves.
#pragma once

#include "elaborate/elaborator.h"

namespace dagaz::elaborate {

/// The function of a scatter from a place and the leaves of an element of this type: it writes all
/// of these to the place.
ir::Lambda write_of_element(Elaborator& e, TypeRef element);

}  // namespace dagaz::elaborate
