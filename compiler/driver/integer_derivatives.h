// Tells the user of derivatives that take a rounding to be none.
#pragma once

#include "ir/program.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace dagaz::driver {

/// Warns where something that is differentiated is converted to an integer and back, which hands
/// derivatives on.  The program is as elaborated, before derivatives are taken.
void warn_of_integer_derivatives(const ir::Program& program, const SourceFiles& files,
                                 Diagnostics& diagnostics);

}  // namespace dagaz::driver
