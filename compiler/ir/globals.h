// Globals: values that all entry points share.
//
// The last entry point of a program may have no name.  Its function computes the program's
// globals; its parameters are two for each tuning parameter (whether it is set, and its value),
// whose names are those of its inputs.  Every other entry point's function takes, after the leaves
// of its inputs, these parameters and then the globals.
#pragma once

#include "ir/program.h"

namespace dagaz::ir {

/// Whether the entry point is the one without a name.
inline bool computes_globals(const EntryPoint& entry) { return entry.name.empty(); }

}  // namespace dagaz::ir
