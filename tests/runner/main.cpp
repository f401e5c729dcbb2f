// Runs file tests: `file_tests [--update] PATH…`, where a path is a test or a folder of tests.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "runner/run_test.h"
#include "runner/test_file.h"

namespace {

namespace fs = std::filesystem;
using dagaz::tests::TestFile;

std::vector<std::string> find_tests(const std::string& path) {
  std::vector<std::string> tests;
  if (!fs::is_directory(path)) return {path};
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    if (entry.path().extension() == ".ir") tests.push_back(entry.path().string());
  }
  std::sort(tests.begin(), tests.end());
  return tests;
}

enum class Mode { compare, update };

bool passes(const std::string& path, Mode mode) {
  const auto test = dagaz::tests::read_test(path);
  if (!test) {
    std::cout << path << ": cannot be read\n";
    return false;
  }
  const dagaz::tests::TestResult result = dagaz::tests::run_test(*test);
  if (!result.failure.empty()) {
    std::cout << path << ": FAILED\n" << result.failure << "\n";
    return false;
  }
  if (result.output == test->expected) return true;
  if (mode == Mode::update) return dagaz::tests::write_expectation(*test, result.output);
  std::cout << path << ": FAILED\n--- expected\n"
            << test->expected << "--- found (accept with: file_tests --update " << path << ")\n"
            << result.output;
  return false;
}

}  // namespace

int main(int count, char** arguments) {
  Mode mode = Mode::compare;
  std::size_t run = 0;
  std::size_t failed = 0;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--update") {
      mode = Mode::update;
      continue;
    }
    for (const std::string& test : find_tests(argument)) {
      ++run;
      if (!passes(test, mode)) ++failed;
    }
  }
  std::cout << run - failed << " of " << run << " file tests passed\n";
  return failed == 0 ? 0 : 1;
}
