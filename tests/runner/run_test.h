// Runs one file test.
#pragma once

#include <string>

#include "runner/test_file.h"

namespace dagaz::tests {

struct TestResult {
  std::string output;   // what the program became, names renumbered
  std::string failure;  // why the test failed before there was output; empty if it did not
};

/// Parses the program, checks that its text form round-trips, and runs the passes, verifying the
/// program after each.
TestResult run_test(const TestFile& test);

}  // namespace dagaz::tests
