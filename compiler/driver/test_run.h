// Runs the tests of one program: build once, then one process per case, so that a crash or an
// endless loop costs one program and is reported like any other failure.
#pragma once

#include <string>
#include <vector>

#include "driver/line_counts.h"
#include "driver/test_options.h"

namespace dagaz::driver {

enum class Outcome {
  passed,
  updated,  // failed, and now expects what it gives
  failed,
  skipped
};

/// One case of one entry point (or the build, or the rejection, of a program).
struct CaseResult {
  std::string name;   // "entry main, case 2"
  Outcome outcome;
  std::string detail; // why it failed or was skipped, with the command to try it again
  double seconds = 0;
};

struct ProgramResult {
  std::string path;
  std::vector<CaseResult> cases;
  double seconds = 0;  // with compilation
  LineCounts lines = {};  // that were executed, where this is wanted
};

ProgramResult run_program_tests(const std::string& path, const TestOptions& options);

/// All .fut files among and below `paths`, sorted.  Missing paths are appended to `missing`.
std::vector<std::string> find_programs(const std::vector<std::string>& paths,
                                       std::vector<std::string>& missing);

}  // namespace dagaz::driver
