// A report of tests in JUnit's form, as services that run tests read it.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "driver/test_run.h"

namespace dagaz::driver {

/// Writes a suite for each program; false if the file cannot be written.
bool write_junit(const std::string& path, const std::vector<ProgramResult>& results,
                 std::chrono::system_clock::time_point start);

}  // namespace dagaz::driver
