// Runs passes: times each, prints and verifies the program after each when asked, and leaves out
// those that have nothing to do or were not asked for.
#pragma once

#include <chrono>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/options.h"
#include "ir/program.h"
#include "ir/verify.h"
#include "passes/registry.h"
#include "support/diagnostic.h"
#include "tree/tree.h"

namespace dagaz::driver {

/// Wall-clock time of each phase and pass, in order of their first run.
class PassTimes {
 public:
  void add(std::string_view name, double seconds);
  /// A table for people: seconds, share, runs, name.
  std::string table() const;
  double total() const;

 private:
  struct Row {
    std::string name;
    double seconds = 0;
    int runs = 0;
  };
  std::vector<Row> rows_;
};

/// Adds the time of its scope to a row of `times`.
class PassTimer {
 public:
  PassTimer(PassTimes& times, std::string_view name);
  ~PassTimer();
  PassTimer(const PassTimer&) = delete;
  PassTimer& operator=(const PassTimer&) = delete;

 private:
  PassTimes& times_;
  std::string_view name_;
  std::chrono::steady_clock::time_point start_;
};

/// What became of a pass at its place in the pipeline.
enum class PassOutcome { changed, unchanged, skipped, left_out };

/// The passes of one compilation so far.
struct PassHistory {
  struct Row {
    const passes::Pass* pass;
    int number;  // among the optional ones, from 1; 0 for those that are required
    PassOutcome outcome;
    std::size_t statements;  // of the program after it, if they are counted
  };
  std::vector<Row> rows;
  int optional = 0;      // places of optional passes so far
  int version = 0;       // of the program: grows with every change
  std::map<std::string_view, int> seen;  // the version that each pass left
  bool stopped = false;  // the pass to stop after has run
  bool counts_statements = false;

  /// A table for people: number, outcome, statements, name.
  std::string table() const;
};

/// How passes are run.
struct PassContext {
  const CompileOptions& options;
  PassTimes& times;
  Diagnostics& diagnostics;
  PassHistory& history;
  passes::AdReport* report = nullptr;  // may be null
  std::string* memory_report = nullptr;  // may be null
};

/// When a step of the pipeline runs: always, or if a step that always runs, of those just before
/// the steps that follow it, changed the program.
enum class Runs { always, if_changed };
struct Step {
  std::string_view pass;
  Runs runs = Runs::always;
};

/// Runs `steps` on `program`.  An optional pass does not run where nothing has changed since its
/// last run, where the options leave it out, or without optimisation.
void run_steps(const PassContext& context, std::span<const Step> steps, ir::Program& program);

/// Ends the process with status 70 unless `program`, made by `phase`, is well-formed.
void verify_made_by(std::string_view phase, const ir::Program& program, ir::Stage stage);

/// Ends the process with status 70 unless `program`, made by `phase`, is well-formed and its text
/// form can be read back.
void verify_made_by(std::string_view phase, const tree::Program& program);

}  // namespace dagaz::driver
