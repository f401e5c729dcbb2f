#include "driver/pass_manager.h"

#include <cstdio>
#include <fstream>

#include "ir/print.h"
#include "support/check.h"

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
    : times_(times), name_(name), start_(std::chrono::steady_clock::now()) {}

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

void verify_after(const PassContext& context, std::string_view name, const ir::Program& before,
                  const ir::Program& after, ir::Stage stage) {
  if (!context.verify) return;
  const std::vector<std::string> violations = ir::verify(after, stage);
  if (violations.empty()) return;
  const std::string path = "dagaz-before-" + std::string(name) + ".ir";
  std::ofstream(path) << ir::print(before);
  DZ_UNREACHABLE("the program after pass `" + std::string(name) +
                 "` is not well-formed (the program before it is in " + path +
                 "):" + listed(violations));
}

}  // namespace dagaz::driver
