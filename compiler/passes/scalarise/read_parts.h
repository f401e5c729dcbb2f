// Maps read the parts of an array instead of the array.
#pragma once

#include "ir/program.h"

namespace dagaz::passes::scalarising {

/// Lets maps read the parts of a concatenation, or of an array of one value that was written in
/// part, where nothing else needs the array; whether there were any.
bool read_parts(ir::Function& function, ir::Program& program);

}  // namespace dagaz::passes::scalarising
