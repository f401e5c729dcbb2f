// dagaz bench: the inputs of the test blocks, timed inside the compiled program.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "driver/commands.h"
#include "driver/compile_flags.h"
#include "driver/process.h"
#include "driver/progress.h"
#include "driver/test_input.h"
#include "driver/test_run.h"
#include "driver/test_spec.h"

namespace dagaz::driver {

namespace fs = std::filesystem;

namespace {

constexpr double timeout_seconds = 600;

// Microseconds per run, from the file that `-t` wrote.
std::vector<double> read_times(const std::string& path) {
  std::ifstream in(path);
  std::vector<double> times;
  for (double time; in >> time;) times.push_back(time);
  return times;
}

void print_row(const std::string& name, std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const double median = times[times.size() / 2];
  std::printf("%-48s %12.0f µs  (min %.0f, max %.0f, %zu runs)\n", name.c_str(), median,
              times.front(), times.back(), times.size());
  std::fflush(stdout);
}

class ProgramBench {
 public:
  ProgramBench(const std::string& path, const BenchOptions& options, nlohmann::json& report)
      : path_(path), options_(options), report_(report),
        inputs_(path, options.compile, [this](const std::string& entry, const std::string& input) {
          return run_process({program(), "-e", entry, "-b"}, input, timeout_seconds);
        }) {}

  // False if something did not compile or run.
  bool run() {
    std::ifstream in(path_, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    SpecError error{};
    const auto spec = parse_test_spec(text.str(), error, options_.block);
    if (!spec) {
      std::cerr << path_ << ":" << error.line << ": " << error.message << "\n";
      return false;
    }
    if (spec->must_be_rejected || spec->blocks.empty()) return true;
    if (!build()) return false;
    bool good = true;
    for (const TestBlock& block : spec->blocks) {
      for (const std::string& entry : block.entries) {
        for (std::size_t i = 0; i < block.cases.size(); ++i) {
          good = run_case(entry, i, block.cases[i]) && good;
        }
      }
    }
    return good;
  }

 private:
  std::string program() const { return folder_.path() + "/program"; }

  bool build() {
    const Progress progress(path_);
    Progress::phase("compiling");
    std::vector<std::string> command{own_executable(), "build", path_, "-o", program()};
    for (std::string& flag : compile_flags(options_.compile)) command.push_back(std::move(flag));
    command.insert(command.end(), {"--cache", options_.compile.cache});
    const ProcessResult result = run_process(command, "", timeout_seconds);
    if (result.status != 0) std::cerr << result.errors;
    return result.status == 0;
  }

  bool run_case(const std::string& entry, std::size_t number, const TestCase& test) {
    const bool skip = test.expectation == Expectation::error ||
                      std::find(test.tags.begin(), test.tags.end(), "nobench") != test.tags.end();
    if (skip) return true;
    std::string problem;
    const std::optional<std::string> input = inputs_.of(test, problem);
    const std::string name =
        path_ + ":" + entry + " #" + (test.name.empty() ? std::to_string(number) : test.name);
    const std::string times_file = folder_.path() + "/times";
    ProcessResult result;
    if (input) {
      result = run_process({program(), "-e", entry, "-n", "-t", times_file, "-r",
                            std::to_string(options_.runs)},
                           *input, timeout_seconds);
    }
    const std::vector<double> times = read_times(times_file);
    if (!input || result.status != 0 || times.empty()) {
      std::cerr << name << ": " << (input ? result.errors : problem) << "\n";
      return false;
    }
    print_row(name, times);
    report_[path_ + ":" + entry]["datasets"][test.name.empty() ? "#" + std::to_string(number)
                                                                : test.name]["runtimes"] = times;
    return true;
  }

  std::string path_;
  const BenchOptions& options_;
  nlohmann::json& report_;
  TemporaryFolder folder_;
  TestInputs inputs_;
};

}  // namespace

int bench_command(const BenchOptions& options) {
  std::vector<std::string> missing;
  const std::vector<std::string> programs = find_programs(options.paths, missing);
  for (const std::string& path : missing) std::cerr << "dagaz: there is no `" << path << "`\n";
  if (!missing.empty() || options.compile.target == Target::interpreter) {
    if (missing.empty()) std::cerr << "dagaz: the interpreter is not timed\n";
    return 2;
  }
  nlohmann::json report = nlohmann::json::object();
  bool good = true;
  for (const std::string& path : programs) {
    good = ProgramBench(path, options, report).run() && good;
  }
  if (!options.json.empty()) {
    std::ofstream out(options.json);
    out << report.dump(1) << "\n";
    out.close();
    if (!out) {
      std::cerr << "dagaz: cannot write `" << options.json << "`\n";
      return 2;
    }
  }
  return good ? 0 : 1;
}

}  // namespace dagaz::driver
