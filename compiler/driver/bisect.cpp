// Binary search over how many of the pipeline's optional passes run.  With none the program is as
// it was written, but for what targets need; with all of them the test failed.  As many passes as
// there are places make log2 of that many builds.
#include "driver/bisect.h"

#include <algorithm>
#include <sstream>

#include "driver/pipeline.h"
#include "driver/process.h"

namespace dagaz::driver {

namespace {

// Whether the case fails, or cannot be run, with that many passes.
bool fails(const std::string& path, const std::string& name, TestOptions options, int limit) {
  options.compile.pass_limit = limit;
  const ProgramResult result = run_program_tests(path, options);
  return std::any_of(result.cases.begin(), result.cases.end(), [&](const CaseResult& each) {
    return each.outcome == Outcome::failed && (each.name == name || each.name == "compile");
  });
}

// What `dagaz inspect` counts at the place of an optional pass; nothing if it fails as well.
std::string statements_at(const std::string& path, const TestOptions& options, int place) {
  const ProcessResult listed = run_process(
      {own_executable(), "inspect", path, "--stage=passes", "-w", "--target",
       std::string(name_of(options.compile.target)), "--pass-limit", std::to_string(place)},
      "", options.timeout);
  if (listed.status != 0) return "";
  std::istringstream lines(listed.output);
  std::string before;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    std::string number;
    std::string word;
    std::string statements;
    std::string pass;
    in >> number;
    while (in >> word) {
      statements = pass;
      pass = word;
    }
    if (number == std::to_string(place))
      return before + " statements before, " + statements + " after";
    before = statements;
  }
  return "";
}

}  // namespace

std::string bisected(const ProgramResult& result, const TestOptions& options) {
  const auto failed =
      std::find_if(result.cases.begin(), result.cases.end(),
                   [](const CaseResult& each) { return each.outcome == Outcome::failed; });
  if (failed == result.cases.end()) return "";
  const std::string what = result.path + ": " + failed->name + ": ";
  if (fails(result.path, failed->name, options, 0)) {
    return what + "fails without any optional pass\n";
  }
  const std::vector<std::string_view> passes = optional_passes();
  int works = 0;
  int broken = static_cast<int>(passes.size());
  if (!fails(result.path, failed->name, options, broken)) return what + "failed once only\n";
  while (broken - works > 1) {
    const int middle = works + (broken - works) / 2;
    (fails(result.path, failed->name, options, middle) ? broken : works) = middle;
  }
  const std::string counts = statements_at(result.path, options, broken);
  return what + "fails after pass " + std::to_string(broken) + " of " +
         std::to_string(passes.size()) + ", `" +
         std::string(passes[static_cast<std::size_t>(broken) - 1]) + "`" +
         (counts.empty() ? "" : " (" + counts + ")") + "\n";
}

}  // namespace dagaz::driver
