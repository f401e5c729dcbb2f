// dagaz test: the `-- ==` blocks of .fut files, several programs at a time.
#include <algorithm>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <thread>

#include "driver/bisect.h"
#include "driver/coverage_report.h"
#include "driver/junit.h"
#include "driver/test_run.h"
#include "driver/test_watch.h"

namespace dagaz::driver {

namespace {

struct Counts {
  int passed = 0;
  int failed = 0;
  int skipped = 0;
};

std::string described(const ProgramResult& result, const CaseResult& test) {
  const bool is_below = test.detail.starts_with("\n");
  return result.path + ": " + test.name + (is_below ? ":" : ": ") + test.detail;
}

// Prints failures as they happen and, on a terminal, a line of progress.
class Progress {
 public:
  Progress(std::size_t programs, bool may_show)
      : programs_(programs), terminal_(may_show && isatty(STDERR_FILENO) != 0) {}

  void add(const ProgramResult& result) {
    const std::lock_guard lock(mutex_);
    ++done_;
    if (terminal_) std::cerr << "\r\x1b[K";
    for (const CaseResult& test : result.cases) {
      switch (test.outcome) {
        case Outcome::passed: ++counts_.passed; break;
        case Outcome::updated:
          ++counts_.passed;
          std::cout << "[UPDATED] " << result.path << ": " << test.name << "\n";
          break;
        case Outcome::skipped:
          ++counts_.skipped;
          std::cout << "[SKIP] " << described(result, test);
          break;
        case Outcome::failed:
          ++counts_.failed;
          std::cout << "[FAIL] " << described(result, test);
          break;
      }
    }
    std::cout.flush();
    if (terminal_) {
      std::cerr << done_ << "/" << programs_ << " programs, " << counts_.failed << " failures"
                << std::flush;
      if (done_ == programs_) std::cerr << "\r\x1b[K";
    }
  }
  void say(const std::string& text) {
    const std::lock_guard lock(mutex_);
    std::cout << text << std::flush;
  }
  const Counts& counts() const { return counts_; }

 private:
  std::size_t programs_;
  bool terminal_;
  std::mutex mutex_;
  std::size_t done_ = 0;
  Counts counts_;
};

std::vector<ProgramResult> run_programs(const std::vector<std::string>& programs,
                                        const TestOptions& options) {
  std::vector<ProgramResult> results(programs.size());
  Progress progress(programs.size(), options.terminal);
  std::atomic<std::size_t> next{0};
  const unsigned jobs = options.jobs > 0 ? static_cast<unsigned>(options.jobs)
                                         : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> workers;
  for (unsigned k = 0; k < jobs; ++k) {
    workers.emplace_back([&] {
      for (std::size_t i = next++; i < programs.size(); i = next++) {
        results[i] = run_program_tests(programs[i], options);
        progress.add(results[i]);
        if (options.bisect) progress.say(bisected(results[i], options));
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  const Counts& counts = progress.counts();
  std::cout << name_of(options.compile.target) << ": " << counts.passed << " passed, "
            << counts.failed << " failed";
  if (counts.skipped > 0) std::cout << ", " << counts.skipped << " skipped";
  const char* const seed = std::getenv("DZ_SIM_SEED");
  if (counts.failed > 0 && options.compile.target == Target::sim) {
    std::cout << "; threads in the order of --sim-seed=" << (seed == nullptr ? "1" : seed);
  }
  std::cout << "\n";
  return results;
}

// False if a report cannot be written.
bool write_reports(const std::vector<ProgramResult>& results, const TestOptions& options,
                   std::chrono::system_clock::time_point start) {
  if (!options.junit.empty() && !write_junit(options.junit, results, start)) {
    std::cerr << "dagaz: cannot write `" << options.junit << "`\n";
    return false;
  }
  if (options.coverage.empty()) return true;
  LineCounts lines;
  for (const ProgramResult& result : results) {
    for (const auto& [file, counts] : result.lines) {
      for (const auto& [line, count] : counts) lines[file][line] += count;
    }
  }
  const std::string problem = write_coverage(options.coverage, lines);
  if (!problem.empty()) {
    std::cerr << "dagaz: " << problem << "\n";
    return false;
  }
  std::cout << "executed: " << coverage_summary(lines) << "\n";
  return true;
}

}  // namespace

int test_command(const TestOptions& options) {
  std::vector<std::string> missing;
  const std::vector<std::string> programs = find_programs(options.paths, missing);
  for (const std::string& path : missing) std::cerr << "dagaz: there is no `" << path << "`\n";
  if (!missing.empty()) return 2;
  if (programs.empty()) {
    std::cerr << "dagaz: there are no .fut files in `" << options.paths.front() << "`\n";
    return 2;
  }
  if (options.watch) {
    return watch_tests(options, [&](const std::vector<std::string>& changed) {
      return run_programs(changed, options);
    });
  }
  const auto start = std::chrono::system_clock::now();
  const std::vector<ProgramResult> results = run_programs(programs, options);
  if (!write_reports(results, options, start)) return 2;
  for (const ProgramResult& result : results) {
    for (const CaseResult& each : result.cases) {
      if (each.outcome == Outcome::failed) return 1;
    }
  }
  return 0;
}

}  // namespace dagaz::driver
