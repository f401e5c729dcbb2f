// What the checker says about a document.
#include <string>

#include "tools/lsp/requests.h"

namespace dagaz::tools::lsp {

static Json related(const Snapshot& snapshot, const Diagnostic& diagnostic) {
  Json result = Json::array();
  for (const Label& label : diagnostic.labels) {
    Json location = snapshot.location(label.range);
    if (location.is_null()) continue;
    result.push_back({{"location", std::move(location)}, {"message", label.text}});
  }
  return result;
}

Json diagnostic_json(const Snapshot& snapshot, const Diagnostic& diagnostic) {
  constexpr int error = 1;
  constexpr int warning = 2;
  constexpr int unnecessary = 1;
  std::string message = diagnostic.message;
  for (const Hint& hint : diagnostic.hints) message += "\nhelp: " + hint.text;
  Json item{{"range", diagnostic.range.valid() ? snapshot.range(diagnostic.range)
                                               : snapshot.range(0, 0)},
            {"severity", kind_severity(diagnostic.kind) == Severity::error ? error : warning},
            {"code", kind_name(diagnostic.kind)},
            {"source", "dagaz"},
            {"message", message}};
  if (!diagnostic.labels.empty()) item["relatedInformation"] = related(snapshot, diagnostic);
  if (diagnostic.kind == DiagnosticKind::unused_name) item["tags"] = {unnecessary};
  return item;
}

Json diagnostics(const Snapshot& snapshot) {
  Json result = Json::array();
  for (const Diagnostic& diagnostic : snapshot.analysis().diagnostics()) {
    // Those of other files are shown where they are, when these are open.
    const bool is_here =
        !diagnostic.range.valid() || snapshot.analysis().is_root(diagnostic.range);
    if (is_here) result.push_back(diagnostic_json(snapshot, diagnostic));
  }
  return result;
}

}  // namespace dagaz::tools::lsp
