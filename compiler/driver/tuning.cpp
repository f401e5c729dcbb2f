#include "driver/tuning.h"

#include <charconv>
#include <fstream>

namespace dagaz::driver {

std::string tuning_file_of(const std::string& program) { return program + ".tuning"; }

std::string set_tunable(plan::Tunables& tunables, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos) return "`" + assignment + "` is not NAME=VALUE";
  std::int64_t value = 0;
  const char* const end = assignment.data() + assignment.size();
  const auto read = std::from_chars(assignment.data() + equals + 1, end, value);
  if (read.ec != std::errc() || read.ptr != end) {
    return "`" + assignment.substr(equals + 1) + "` is no whole number";
  }
  return plan::set_tunable(tunables, std::string_view(assignment).substr(0, equals), value);
}

plan::Tunables tunables_of(const CompileOptions& options, Diagnostics& diagnostics) {
  plan::Tunables tunables;
  const std::string path = tuning_file_of(options.file);
  std::ifstream in(path);
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (!line.starts_with(tunable_prefix)) continue;
    const std::string problem = set_tunable(tunables, line.substr(tunable_prefix.size()));
    if (problem.empty()) continue;
    diagnostics.report(DiagnosticKind::io, Range{},
                       path + ":" + std::to_string(number) + ": " + problem);
  }
  for (const std::string& one : options.tuned) set_tunable(tunables, one);  // checked before
  return tunables;
}

}  // namespace dagaz::driver
