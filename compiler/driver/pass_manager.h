// Runs passes: times each, and verifies the program after each when asked.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/program.h"
#include "ir/verify.h"
#include "support/diagnostic.h"

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

/// How passes are run.
struct PassContext {
  PassTimes& times;
  bool verify;
  Diagnostics& diagnostics;
};

/// Ends the process with status 70 unless `program`, made by `phase`, is well-formed.
void verify_made_by(std::string_view phase, const ir::Program& program, ir::Stage stage);

/// Verifies `after` at `stage` if asked.  A violation is a bug of pass `name`: the first ones
/// are shown, the program before the pass is written to `dagaz-before-<name>.ir`, and the process
/// ends with status 70.
void verify_after(const PassContext& context, std::string_view name, const ir::Program& before,
                  const ir::Program& after, ir::Stage stage);

/// Runs a pass on a program of one of the stage types.
template <typename To, typename From>
To run_pass(const PassContext& context, std::string_view name, ir::Stage stage,
            const std::function<To(From)>& pass, From program) {
  const Doing doing(name);
  From before;
  if (context.verify) before = program;
  To after = [&] {
    const PassTimer timer(context.times, name);
    return pass(std::move(program));
  }();
  verify_after(context, name, before.program, after.program, stage);
  return after;
}

}  // namespace dagaz::driver
