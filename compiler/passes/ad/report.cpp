// The report of what was differentiated how, for `dagaz inspect --stage=ad`.
#include "passes/passes.h"
#include "support/text_writer.h"

namespace dagaz::passes {

std::string print(const AdReport& report, const SourceFiles& files) {
  TextWriter out;
  for (const AdReportEntry& entry : report.entries) {
    if (entry.location.valid() && report.locations.size() > entry.location.index) {
      out << files.describe(report.locations[entry.location.index].range) << ": ";
    }
    out << entry.rule << ": " << entry.mode << " mode: " << entry.reason;
    if (!entry.stored.empty()) out << "; stored: " << entry.stored;
    out << '\n';
  }
  return out.take();
}

}  // namespace dagaz::passes
