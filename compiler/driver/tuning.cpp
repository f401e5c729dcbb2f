#include "driver/tuning.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>

namespace dagaz::driver {

std::string tuning_file_of(const std::string& program) { return program + ".tuning"; }

static std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return value;
}

std::string set_tunable(Tunables& tunables, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos) return "`" + assignment + "` is not NAME=VALUE";
  const auto value = whole_number(std::string_view(assignment).substr(equals + 1));
  if (!value) return "`" + assignment.substr(equals + 1) + "` is no whole number";
  return set_tunable(tunables, std::string_view(assignment).substr(0, equals), *value);
}

static void say(Diagnostics& diagnostics, const std::string& path, int line,
                const std::string& problem) {
  diagnostics.report(DiagnosticKind::io, Range{},
                     path + ":" + std::to_string(line) + ": " + problem);
}

TunedParameters tuned_parameters_of(const CompileOptions& options, Diagnostics& diagnostics) {
  TunedParameters tuned;
  const std::string path = tuning_file_of(options.file);
  std::ifstream in(path);
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line.starts_with(tunable_prefix)) continue;
    const std::size_t equals = std::min(line.find('='), line.size());
    const std::string_view value = std::string_view(line).substr(std::min(equals + 1, line.size()));
    const auto known = whole_number(value);
    if (equals == 0 || equals == line.size() || !known || *known < 0) {
      say(diagnostics, path, number, "expected NAME=VALUE");
      continue;
    }
    tuned[line.substr(0, equals)] = *known;
  }
  return tuned;
}

Tunables tunables_of(const CompileOptions& options, Diagnostics& diagnostics) {
  Tunables tunables;
  const std::string path = tuning_file_of(options.file);
  std::ifstream in(path);
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (!line.starts_with(tunable_prefix)) continue;
    const std::string problem = set_tunable(tunables, line.substr(tunable_prefix.size()));
    if (!problem.empty()) say(diagnostics, path, number, problem);
  }
  for (const std::string& one : options.tuned) set_tunable(tunables, one);  // checked before
  return tunables;
}

}  // namespace dagaz::driver
