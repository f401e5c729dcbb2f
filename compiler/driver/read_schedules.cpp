#include "driver/read_schedules.h"

#include <fstream>
#include <sstream>

#include "ir/parse.h"

namespace dagaz::driver {

std::optional<Schedules> read_schedules(const std::string& path, const ir::Names& names,
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
  auto schedules = ir::parse_schedules(files.add(path, text.str()), files, problems);
  for (const Diagnostic& one : problems.all()) {
    diagnostics.report(DiagnosticKind::io, Range{}, render(one, files, RenderStyle::plain));
  }
  if (!schedules) return std::nullopt;
  for (const auto& [name, schedule] : *schedules) {
    if (name.index < names.size()) continue;
    diagnostics.report(DiagnosticKind::io, Range{},
                       "`" + path + "` speaks of an operation that the program does not have");
    return std::nullopt;
  }
  return schedules;
}

}  // namespace dagaz::driver
