#include "driver/read_plan.h"

#include <fstream>
#include <sstream>

namespace dagaz::driver {

std::optional<ir::PlanText> read_plan(const std::string& path, const ir::Names& names,
                                      Diagnostics& diagnostics) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) {
    diagnostics.report(DiagnosticKind::io, Range{}, "cannot read `" + path + "`");
    return std::nullopt;
  }
  SourceFiles files;
  Diagnostics problems;
  auto plan = ir::parse_plan(files.add(path, text.str()), files, problems);
  for (const Diagnostic& one : problems.all()) {
    diagnostics.report(DiagnosticKind::io, Range{}, render(one, files, RenderStyle::plain));
  }
  if (!plan) return std::nullopt;
  for (const auto& [name, schedule] : plan->schedules) {
    if (name.index < names.size()) continue;
    diagnostics.report(DiagnosticKind::io, Range{},
                       "`" + path + "` speaks of an operation that the program does not have");
    return std::nullopt;
  }
  return plan;
}

}  // namespace dagaz::driver
