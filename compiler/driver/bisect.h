// Which pass makes a test fail.
#pragma once

#include <string>

#include "driver/test_options.h"
#include "driver/test_run.h"

namespace dagaz::driver {

/// For the first case of `result` that failed: the first optional pass after which it fails, with
/// the statements of the program before and after, or that it fails without any.  A line.
std::string bisected(const ProgramResult& result, const TestOptions& options);

}  // namespace dagaz::driver
