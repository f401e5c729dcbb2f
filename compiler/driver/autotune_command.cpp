// dagaz autotune: the tunables that make a program's test inputs fast, by coordinate descent.
//
// Each tunable in turn takes values below and above its own; a value that changes no code costs no
// run.  What seems faster on the whole is measured again in pairs, each with what it is compared
// with, first one of them and then the other; it is taken only if it wins every pair and no input
// loses.  A machine that slows down for a while slows both, and what is no faster wins five pairs
// once in 32 times.  At last the result is measured beside the defaults in the same way.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <limits>
#include <optional>
#include <sstream>

#include "driver/code_texts.h"
#include "driver/commands.h"
#include "driver/compile_flags.h"
#include "driver/process.h"
#include "driver/test_input.h"
#include "driver/test_run.h"
#include "driver/tunables.h"
#include "driver/test_spec.h"
#include "driver/tuning.h"

namespace dagaz::driver {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double build_seconds = 600;
constexpr double least_gain = 1.03;   // that is worth a tunable
constexpr double largest_loss = 0.97;  // of a single input
constexpr int confirmations = 5;

/// An input of a test block.
struct TimedCase {
  std::string entry;
  std::string input;
};

/// NAME=VALUE of the tunables that differ from their defaults.
using Setting = std::vector<std::pair<const TunableRow*, std::int64_t>>;

std::int64_t value_in(const Setting& setting, const TunableRow& row) {
  for (const auto& [one, value] : setting) {
    if (one == &row) return value;
  }
  return row.value;
}

Setting with(Setting setting, const TunableRow& row, std::int64_t value) {
  std::erase_if(setting, [&](const auto& one) { return one.first == &row; });
  if (value != row.value) setting.emplace_back(&row, value);
  return setting;
}

std::string text_of(const TunableRow& row, std::int64_t value) {
  return std::string(row.name) + "=" + std::to_string(value);
}

/// A program that is compiled and run with settings.
class TunedProgram {
 public:
  explicit TunedProgram(const AutotuneOptions& options)
      : options_(options), codes_(options.compile) {}

  /// The inputs of the test blocks; false if there are none or one cannot be had.
  bool find_cases() {
    std::ifstream in(options_.compile.file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    SpecError error{};
    const auto spec = parse_test_spec(text.str(), error);
    if (!spec) return complain(":" + std::to_string(error.line) + ": " + error.message);
    if (!build({}, 0)) return false;
    TestInputs inputs(options_.compile.file, options_.compile,
                      [this](const std::string& entry, const std::string& input) {
                        return run_process({program(0), "-e", entry, "-b"}, input, build_seconds);
                      });
    for (const TestBlock& block : spec->blocks) {
      for (const std::string& entry : block.entries) {
        for (const TestCase& one : block.cases) {
          const bool skip =
              one.expectation == Expectation::error ||
              std::find(one.tags.begin(), one.tags.end(), "notune") != one.tags.end();
          if (skip) continue;
          std::string problem;
          const auto input = inputs.of(one, problem);
          if (!input) return complain(": " + problem);
          cases_.push_back({entry, *input});
        }
      }
    }
    if (cases_.empty()) return complain(": no test block has an input to measure");
    return true;
  }

  std::size_t case_count() const { return cases_.size(); }

  /// Which code a setting makes: the same text, the same code.
  std::string code_of(const Setting& setting) { return codes_.text_with(tuned(setting)); }

  /// How many times as fast `other` is as `one`, per input; empty if it does not compile or run, or
  /// is no faster in one of the pairs.
  std::vector<double> compare(const Setting& one, const Setting& other, int pairs) {
    if (!build(one, 0) || !build(other, 1)) return {};
    std::vector<double> least_one(cases_.size(), infinity);
    std::vector<double> least_other(cases_.size(), infinity);
    for (int k = 0; k < pairs; ++k) {
      double gain = 0;  // a logarithm
      for (std::size_t c = 0; c < cases_.size(); ++c) {
        double times[2];
        for (const int who : {k % 2, 1 - k % 2}) times[who] = time_of(program(who), cases_[c]);
        if (times[1] == infinity) return {};
        gain += std::log(times[0] / times[1]);
        least_one[c] = std::min(least_one[c], times[0]);
        least_other[c] = std::min(least_other[c], times[1]);
      }
      if (gain <= 0) return {};
    }
    std::vector<double> ratios;
    for (std::size_t c = 0; c < cases_.size(); ++c) ratios.push_back(least_one[c] / least_other[c]);
    return ratios;
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  bool complain(const std::string& what) const {
    std::cerr << options_.compile.file << what << "\n";
    return false;
  }

  std::string program(int number) const {
    return folder_.path() + "/program" + std::to_string(number);
  }

  // All tunables, also where the default holds: there may be a tuning file from before.
  static std::vector<std::string> tuned(const Setting& setting) {
    std::vector<std::string> all;
    for (const TunableRow& row : tunable_rows()) {
      all.push_back(text_of(row, value_in(setting, row)));
    }
    return all;
  }

  // Unless the executable of that number is the setting's.
  bool build(const Setting& setting, int number) {
    std::optional<Setting>& built = built_[number];
    if (built == setting) return true;
    built.reset();
    std::vector<std::string> command{own_executable(), "build", options_.compile.file,
                                     "-o", program(number), "-w"};
    for (std::string& flag : compile_flags(options_.compile)) command.push_back(std::move(flag));
    for (std::string& each : tuned(setting)) {
      command.insert(command.end(), {"--tune", std::move(each)});
    }
    const ProcessResult result = run_process(command, "", build_seconds);
    if (result.status != 0) {
      std::cerr << result.errors;
      return false;
    }
    built = setting;
    return true;
  }

  // The least microseconds of some runs in one process.
  double time_of(const std::string& program, const TimedCase& one) const {
    const std::string file = folder_.path() + "/times";
    const ProcessResult result =
        run_process({program, "-e", one.entry, "-n", "-t", file, "-r",
                     std::to_string(options_.runs)},
                    one.input, build_seconds);
    if (result.status != 0) return infinity;
    std::ifstream in(file);
    double least = infinity;
    for (double time; in >> time;) least = std::min(least, time);
    return least;
  }

  const AutotuneOptions& options_;
  CodeTexts codes_;
  TemporaryFolder folder_;
  std::optional<Setting> built_[2];  // of the two executables
  std::vector<TimedCase> cases_;
};

double geometric_mean(const std::vector<double>& ratios) {
  double sum = 0;
  for (const double one : ratios) sum += std::log(one);
  return ratios.empty() ? 0 : std::exp(sum / static_cast<double>(ratios.size()));
}

bool is_faster(const std::vector<double>& ratios) {
  return !ratios.empty() && geometric_mean(ratios) >= least_gain &&
         *std::min_element(ratios.begin(), ratios.end()) >= largest_loss;
}

/// A quarter, half, twice and four times the value, and far away on both sides, where a threshold
/// of something that nobody knows before the program runs may lie; or the other of two.
std::vector<std::int64_t> values_near(const TunableRow& row, std::int64_t value) {
  if (row.lowest == 0 && row.highest == 1) return {1 - value};
  std::vector<std::int64_t> values;
  for (const std::int64_t one :
       {value / 2, value * 2, value / 4, value * 4, value / 64, value * 64}) {
    const std::int64_t inside = std::clamp(one, row.lowest, row.highest);
    const bool is_new = inside != value &&
                        std::find(values.begin(), values.end(), inside) == values.end();
    if (is_new) values.push_back(inside);
  }
  return values;
}

/// Whether a tunable may change the program's code; most of the others would be found out by
/// compiling it with each of their values.
bool concerns(const TunableRow& row, const CompileOptions& options) {
  if (row.name.starts_with("rank_")) return options.ranks;
  if (!row.name.starts_with("gpu_")) return true;
  return is_gpu(options.target) ||
         std::any_of(options.further_targets.begin(), options.further_targets.end(), is_gpu);
}

class Search {
 public:
  Search(TunedProgram& program, const AutotuneOptions& options)
      : program_(program), options_(options), code_(program.code_of({})) {}

  Setting run() {
    Setting before;
    do {
      before = best_;
      for (const TunableRow& row : tunable_rows()) {
        if (!concerns(row, options_.compile)) continue;
        for (const std::int64_t value : values_near(row, value_in(best_, row))) {
          if (is_out_of_time()) return best_;
          try_value(row, value);
        }
      }
    } while (best_ != before);
    return best_;
  }

  int measured() const { return measured_; }

 private:
  bool is_out_of_time() const {
    return std::chrono::duration<double>(Clock::now() - start_).count() > options_.seconds;
  }

  void try_value(const TunableRow& row, std::int64_t value) {
    const Setting setting = with(best_, row, value);
    show(text_of(row, value));
    std::string code = program_.code_of(setting);
    if (code == code_) return;
    ++measured_;
    if (geometric_mean(program_.compare(best_, setting, 1)) < least_gain) return;
    const std::vector<double> ratios = program_.compare(best_, setting, confirmations);
    if (!is_faster(ratios)) return;
    best_ = setting;
    code_ = std::move(code);
    clear();
    std::fprintf(stderr, "%s: %.2f times as fast\n", text_of(row, value).c_str(),
                 geometric_mean(ratios));
  }

  // On a terminal, what is being tried.
  void show(const std::string& what) const {
    if (isatty(STDERR_FILENO) == 0) return;
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    std::fprintf(stderr, "\r\033[K%3.0f s of at most %.0f, %d measured, trying %s", seconds,
                 options_.seconds, measured_, what.c_str());
    std::fflush(stderr);
  }
  static void clear() {
    if (isatty(STDERR_FILENO) != 0) std::fputs("\r\033[K", stderr);
  }

  TunedProgram& program_;
  const AutotuneOptions& options_;
  Clock::time_point start_ = Clock::now();
  std::string code_;  // that the best setting makes
  Setting best_;
  int measured_ = 0;
};

/// Replaces the compiler's tunables in a tuning file; what else is in it stays.
bool write_tuning(const std::string& path, const Setting& setting) {
  std::string text;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(tunable_prefix)) text += line + "\n";
  }
  in.close();
  for (const auto& [row, value] : setting) {
    text += std::string(tunable_prefix) + text_of(*row, value) + "\n";
  }
  std::ofstream out(path);
  out << text;
  out.close();
  if (!out) std::cerr << "dagaz: cannot write `" << path << "`\n";
  return static_cast<bool>(out);
}

}  // namespace

int autotune_command(const AutotuneOptions& options) {
  if (options.compile.target == Target::interpreter) {
    std::cerr << "dagaz: the interpreter has no plans to tune\n";
    return 2;
  }
  TunedProgram program(options);
  if (!program.find_cases()) return 1;
  Search search(program, options);
  Setting best = search.run();
  double gain = 1;
  if (!best.empty()) {
    const std::vector<double> ratios = program.compare({}, best, confirmations);
    gain = geometric_mean(ratios);
    if (!is_faster(ratios)) best.clear();
  }
  const std::string path = tuning_file_of(options.compile.file);
  std::printf("%zu inputs, %d settings measured\n", program.case_count(), search.measured());
  if (best.empty()) {
    std::printf("the defaults are best; nothing is written\n");
    return 0;
  }
  if (!write_tuning(path, best)) return 1;
  std::printf("%.2f times as fast as the defaults; wrote %s\n", gain, path.c_str());
  return 0;
}

}  // namespace dagaz::driver
