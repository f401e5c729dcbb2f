// dagaz bench: the inputs of the test blocks, timed inside the compiled program.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "driver/bench_report.h"
#include "driver/commands.h"
#include "driver/compile_flags.h"
#include "driver/process.h"
#include "driver/progress.h"
#include "driver/rank_runs.h"
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

/// What is being timed, on a terminal, while it is.
class Showing {
 public:
  explicit Showing(const std::string& what) {
    if (shows_) std::fprintf(stderr, "\r\x1b[K%s …", what.c_str());
  }
  ~Showing() {
    if (shows_) std::fputs("\r\x1b[K", stderr);
  }
  Showing(const Showing&) = delete;
  Showing& operator=(const Showing&) = delete;

 private:
  const bool shows_ = isatty(STDERR_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
};

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
    Measurement measured;
    measured.program = path_ + ":" + entry;
    measured.dataset = test.name.empty() ? "#" + std::to_string(number) : test.name;
    const std::string name = measured.program + " " + measured.dataset;
    const Showing showing(name);
    if (input) measured.microseconds = times_of(entry, *input, problem);
    if (measured.microseconds.empty()) {
      std::cerr << name << ": " << problem << "\n";
      return false;
    }
    measured.bytes = stated(entry + "_bytes", *input);
    measured.flops = stated(entry + "_flops", *input);
    measured.memory = memory_of(entry, *input);
    std::puts(row_of(measured).c_str());
    std::fflush(stdout);
    add(report_, measured);
    return true;
  }

  // By as many processes as were asked for, which read the input from a file: by parts, and whole
  // where a launcher passes on the beginning of its standard input alone.
  ProcessResult run_timed(const std::string& entry, const std::vector<std::string>& options,
                          const std::string& input) const {
    std::vector<std::string> command;
    if (options_.ranks > 0) command = rank_launcher(options_.ranks);
    command.insert(command.end(), {program(), "-e", entry, "-n"});
    command.insert(command.end(), options.begin(), options.end());
    if (options_.ranks == 0) return run_process(command, input, timeout_seconds);
    const std::string file = folder_.path() + "/input";
    std::ofstream(file, std::ios::binary) << input;
    command.insert(command.end(), {"--input", file});
    return run_process(command, "", timeout_seconds);
  }

  // Nothing, with `problem` set, if the program fails.
  std::vector<double> times_of(const std::string& entry, const std::string& input,
                               std::string& problem) const {
    const std::string times_file = folder_.path() + "/times";
    std::vector<std::string> options{"-t", times_file, "-r", std::to_string(options_.runs)};
    if (options_.precision > 0) {
      options.insert(options.end(), {"--precision", std::to_string(options_.precision),
                                     "--seconds", std::to_string(options_.seconds)});
    }
    const ProcessResult result = run_timed(entry, options, input);
    if (result.status == 0) return read_times(times_file);
    problem = result.errors;
    return {};
  }

  // What an entry point says of an input of another, if there is one with this name.
  std::optional<double> stated(const std::string& entry, const std::string& input) const {
    constexpr int unknown_entry = 2;
    if (run_process({program(), "-e", entry}, "", timeout_seconds).status == unknown_entry) {
      return std::nullopt;
    }
    const ProcessResult result = run_process({program(), "-e", entry}, input, timeout_seconds);
    if (result.status == 0) return std::strtod(result.output.c_str(), nullptr);
    std::cerr << path_ << ":" << entry << ": " << result.errors;
    return std::nullopt;
  }

  // The bytes that one run holds at most, as the profile says; of several processes the first's.
  std::optional<double> memory_of(const std::string& entry, const std::string& input) const {
    const ProcessResult result = run_timed(entry, {"--profile-format=json"}, input);
    const auto profile = nlohmann::json::parse(result.errors, nullptr, false);
    const nlohmann::json::json_pointer place("/memory/device");
    if (!profile.is_object() || !profile.contains(place)) return std::nullopt;
    return profile.at(place).get<double>();
  }

  std::string path_;
  const BenchOptions& options_;
  nlohmann::json& report_;
  TemporaryFolder folder_;
  TestInputs inputs_;
};

}  // namespace

static int compare_reports(const std::vector<std::string>& paths) {
  std::vector<std::vector<Measurement>> reports;
  for (const std::string& path : paths) {
    std::string problem;
    auto report = read_report(path, problem);
    if (!report) {
      std::cerr << "dagaz: " << problem << "\n";
      return 2;
    }
    reports.push_back(std::move(*report));
  }
  std::cout << comparison(reports.front(), reports.back());
  return 0;
}

int bench_command(const BenchOptions& options) {
  if (!options.compare.empty()) return compare_reports(options.compare);
  if (options.paths.empty()) {
    std::cerr << "dagaz: bench needs a PATH, or --compare OLD.json NEW.json\n";
    return 2;
  }
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
