// The report of what was differentiated how, for `dagaz inspect --stage=ad`.
#include "passes/ad/report.h"

#include <map>

#include "support/library_folder.h"
#include "support/text_writer.h"

namespace dagaz::passes {

using namespace ir;

Range place_of(const AdReportEntry& entry, const AdReport& report, const SourceFiles& files) {
  Range innermost;
  LocationId location = entry.location;
  while (location.valid() && location.index < report.locations.size()) {
    const Location& place = report.locations[location.index];
    if (!innermost.valid()) innermost = place.range;
    const bool library =
        place.range.valid() && is_library_file(files.file(place.range.file).name());
    if (place.range.valid() && !library) return place.range;
    location = place.inlined_at;
  }
  return innermost;
}

static std::string line_of(const AdReportEntry& entry, const AdReport& report,
                           const SourceFiles& files) {
  std::string line = files.describe(place_of(entry, report, files)) + ": " + entry.rule + ": " +
                     entry.mode + " mode: " + entry.reason;
  if (!entry.stored.empty()) line += "; stored: " + entry.stored;
  return line;
}

std::string print(const AdReport& report, const SourceFiles& files) {
  std::map<std::string, int> times;
  std::vector<std::string> order;
  for (const AdReportEntry& entry : report.entries) {
    std::string line = line_of(entry, report, files);
    if (times[line]++ == 0) order.push_back(std::move(line));
  }
  TextWriter out;
  for (const std::string& line : order) {
    out << line;
    if (times[line] > 1) out << " (" << times[line] << " times)";
    out << '\n';
  }
  return out.take();
}

namespace ad {

std::string size_formula(const Names& names, const Type& type) {
  std::string formula;
  for (const Operand& size : type.shape) {
    if (!formula.empty()) formula += "·";
    formula +=
        size.is_name() ? names.base(size.name()) : std::to_string(integer_value(size.constant()));
  }
  return formula + " " + std::string(name_of(type.element));
}

std::string size_formulas(const Environment& environment, const std::string& label,
                          const std::vector<NameId>& originals) {
  std::string formulas;
  for (const NameId original : originals) {
    if (!formulas.empty()) formulas += ", ";
    formulas +=
        label + ": " + size_formula(environment.names(), environment.type_of(Operand(original)));
  }
  return formulas;
}

}  // namespace ad

}  // namespace dagaz::passes
