// Small arrays that loops and branches hand on become scalars, one for each element.
#pragma once

#include "passes/scalarise/whole_uses.h"

namespace dagaz::passes::scalarising {

/// Splits what need not be whole; whether there was anything.
bool split(Function& function, Names& names, FlattenTarget target);

}  // namespace dagaz::passes::scalarising
