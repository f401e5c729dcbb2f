#include "driver/pass_manager.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>

#include "driver/progress.h"
#include "driver/tuning.h"
#include "ir/fields.h"
#include "ir/print.h"
#include "support/check.h"
#include "tree/parse.h"
#include "tree/verify.h"

namespace dagaz::driver {

void PassTimes::add(std::string_view name, double seconds) {
  for (Row& row : rows_) {
    if (row.name == name) {
      row.seconds += seconds;
      ++row.runs;
      return;
    }
  }
  rows_.push_back(Row{std::string(name), seconds, 1});
}

double PassTimes::total() const {
  double sum = 0;
  for (const Row& row : rows_) sum += row.seconds;
  return sum;
}

std::string PassTimes::table() const {
  std::string out = "     ms    share  runs  pass\n";
  const double all = total();
  char line[160];
  for (const Row& row : rows_) {
    std::snprintf(line, sizeof line, "%7.2f  %6.1f%%  %4d  %s\n", row.seconds * 1e3,
                  all > 0 ? 100 * row.seconds / all : 0.0, row.runs, row.name.c_str());
    out += line;
  }
  std::snprintf(line, sizeof line, "%7.2f  100.0%%        total\n", all * 1e3);
  return out + line;
}

PassTimer::PassTimer(PassTimes& times, std::string_view name)
    : times_(times), name_(name), start_(std::chrono::steady_clock::now()) {
  Progress::phase(name);
}

PassTimer::~PassTimer() {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  times_.add(name_, elapsed.count());
}

// The first violations, a line each.
static std::string listed(const std::vector<std::string>& violations) {
  constexpr std::size_t most = 5;
  std::string text;
  for (std::size_t i = 0; i < violations.size() && i < most; ++i) text += "\n  " + violations[i];
  return text;
}

void verify_made_by(std::string_view phase, const ir::Program& program, ir::Stage stage) {
  const std::vector<std::string> violations = ir::verify(program, stage);
  if (violations.empty()) return;
  DZ_UNREACHABLE("the program that " + std::string(phase) + " made is not well-formed:" +
                 listed(violations));
}

void verify_made_by(std::string_view phase, const tree::Program& program) {
  std::vector<std::string> violations;
  for (const tree::Violation& one : tree::verify(program)) {
    violations.push_back(tree::text_of(one, program));
  }
  if (violations.empty()) {
    const std::string problem = tree::round_trip_problem(program);
    if (problem.empty()) return;
    violations.push_back(problem);
  }
  DZ_UNREACHABLE("the imperative tree that " + std::string(phase) + " made is not well-formed:" +
                 listed(violations));
}

// A violation is a bug of the pass: the first ones are shown, and the program before it is written
// to a file.
static void verify_after(const passes::Pass& pass, const ir::Program& before,
                         const ir::Program& after) {
  const std::vector<std::string> violations = ir::verify(after, pass.result);
  if (violations.empty()) return;
  const std::string path = "dagaz-before-" + std::string(pass.name) + ".ir";
  std::ofstream(path) << ir::print(before);
  DZ_UNREACHABLE("the program after pass `" + std::string(pass.name) +
                 "` is not well-formed (the program before it is in " + path +
                 "):" + listed(violations));
}

// ---------------------------------------------------------------- steps

static bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

static std::size_t count_statements(const ir::Body& body) {
  std::size_t count = body.statements.size();
  for (const ir::Statement& statement : body.statements) {
    ir::for_each_scope(statement.operation,
                       [&](const ir::Body& inner) { count += count_statements(inner); });
  }
  return count;
}

static std::size_t count_statements(const ir::Program& program) {
  std::size_t count = 0;
  for (const ir::Function& function : program.functions) count += count_statements(function.body);
  return count;
}

static bool is_left_out(const PassContext& context, const passes::Pass& pass) {
  if (pass.need == passes::Need::required) return false;
  const CompileOptions& options = context.options;
  return options.optimisation == 0 || context.history.optional > options.pass_limit ||
         contains(options.without, pass.name);
}

static passes::PassOptions pass_options(const PassContext& context) {
  Diagnostics said_when_planning;
  return {is_gpu(context.options.target) ? passes::FlattenTarget::gpu : passes::FlattenTarget::cpu,
          context.report, context.options.ranks,
          tunables_of(context.options, said_when_planning).passes};
}

static PassOutcome run(const PassContext& context, const passes::Pass& pass,
                       const passes::PassOptions& options, ir::Program& program) {
  PassHistory& history = context.history;
  const auto seen = history.seen.find(pass.name);
  if (pass.need == passes::Need::optional && seen != history.seen.end() &&
      seen->second == history.version) {
    return PassOutcome::skipped;
  }
  const Doing doing(pass.name);
  ir::Program before;
  if (context.options.verify) before = program;
  bool changed = false;
  {
    const PassTimer timer(context.times, pass.name);
    changed = pass.run(program, options);
  }
  if (context.options.verify) verify_after(pass, before, program);
  if (changed) ++history.version;
  history.seen[pass.name] = history.version;
  return changed ? PassOutcome::changed : PassOutcome::unchanged;
}

// Notes what became of a pass, prints the program if that was asked for, and may stop.
static void after(const PassContext& context, const passes::Pass& pass, PassOutcome outcome,
                  const ir::Program& program) {
  PassHistory& history = context.history;
  const int number = pass.need == passes::Need::optional ? history.optional : 0;
  history.rows.push_back({&pass, number, outcome,
                          history.counts_statements ? count_statements(program) : 0});
  if (outcome == PassOutcome::skipped || outcome == PassOutcome::left_out) return;
  if (contains(context.options.print_after, pass.name)) {
    std::cerr << "-- after " << pass.name << "\n" << ir::print(program);
  }
  if (context.options.stop_after == pass.name) history.stopped = true;
}

void run_steps(const PassContext& context, std::span<const Step> steps, ir::Program& program) {
  const passes::PassOptions options = pass_options(context);
  bool has_work = false;
  bool was_following = true;
  for (const Step& step : steps) {
    if (context.history.stopped) return;
    const passes::Pass* pass = passes::find_pass(step.pass);
    DZ_CHECK(pass != nullptr, "there is no pass " + std::string(step.pass));
    if (pass->need == passes::Need::optional) ++context.history.optional;
    const bool leads = step.runs == Runs::always;
    if (leads && was_following) has_work = false;
    was_following = !leads;
    const PassOutcome outcome = is_left_out(context, *pass) ? PassOutcome::left_out
                                : leads || has_work         ? run(context, *pass, options, program)
                                                            : PassOutcome::skipped;
    if (leads && outcome == PassOutcome::changed) has_work = true;
    after(context, *pass, outcome, program);
  }
}

std::string PassHistory::table() const {
  const auto text = [](PassOutcome outcome) {
    switch (outcome) {
      case PassOutcome::changed: return "changed";
      case PassOutcome::unchanged: return "unchanged";
      case PassOutcome::skipped: return "nothing new";
      case PassOutcome::left_out: return "left out";
    }
    DZ_UNREACHABLE("outcome");
  };
  std::string out = "number  outcome      statements  pass\n";
  char line[160];
  for (const Row& row : rows) {
    const std::string number = row.number > 0 ? std::to_string(row.number) : "-";
    std::snprintf(line, sizeof line, "%6s  %-11s  %10zu  %s\n", number.c_str(),
                  text(row.outcome), row.statements, std::string(row.pass->name).c_str());
    out += line;
  }
  return out;
}

}  // namespace dagaz::driver
