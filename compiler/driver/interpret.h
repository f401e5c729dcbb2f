// Runs an entry point on the reference interpreter, with the options of compiled programs that
// make sense there.
#pragma once

#include <string>
#include <vector>

#include "driver/tuning.h"
#include "ir/program.h"
#include "support/source.h"

namespace dagaz::driver {

/// Values from stdin to stdout; `arguments` may hold -e ENTRY and -b.  `tuned`: what tuning
/// parameters are set to.  Returns the exit status:
/// 0, 1 (bad values, error at run time) or 2 (bad arguments).
int interpret_program(const ir::Program& program, const SourceFiles& files,
                      const TunedParameters& tuned, const std::vector<std::string>& arguments);

}  // namespace dagaz::driver
