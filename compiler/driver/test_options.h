// What `dagaz test` is asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "driver/compare_values.h"
#include "driver/options.h"

namespace CLI {
class App;
}

namespace dagaz::driver {

/// What to try each property with.
struct PropertyTrials {
  int count = 100;      // values
  int64_t size = 50;    // of the values, where the property does not say it
  int shrinks = 5;      // values of the program's shrinker in a row that make it true
  uint64_t seed = 0;
};

struct TestOptions {
  CompileOptions compile;  // `file` unused
  std::vector<std::string> paths;
  int jobs = 0;            // 0: one per core
  std::vector<std::string> exclude;  // tags to skip
  std::optional<int> block;  // only the test block around this line
  std::string junit;       // file for a JUnit report
  double timeout = 300;    // seconds per program
  bool bisect = false;     // of what fails, find the first pass that makes it so
  Tolerance tolerance = Tolerance::peer;
  PropertyTrials trials;
  std::string coverage;   // folder for what was executed; empty: not wanted
  bool watch = false;     // run again what changes
  bool terminal = true;   // show progress on a terminal
  std::vector<int> ranks;  // so many run each program together; empty: it is built without
  std::string entry;      // only tests of this entry point; empty: all
  bool update_expected = false;  // where only values differ, write those of the program
};

/// The subcommand and its options, which live while CLI11 refers to them.
void add_test(CLI::App& app, TestOptions& options, int& status);

/// dagaz test PATH…: the `-- ==` blocks.
int test_command(const TestOptions& options);

}  // namespace dagaz::driver
