// Runs tests again when files change.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "driver/test_run.h"

namespace dagaz::driver {

/// Runs the tests of these programs and prints what happens.
using RunPrograms =
    std::function<std::vector<ProgramResult>(const std::vector<std::string>& programs)>;

/// Runs all programs of `options`, and then, whenever a file changes that some of them are made of
/// (their own, imports, values), those.  Ends when it is interrupted, with 0 if by then all tests
/// pass, else 1; 2 if files cannot be watched.
int watch_tests(const TestOptions& options, const RunPrograms& run);

}  // namespace dagaz::driver
