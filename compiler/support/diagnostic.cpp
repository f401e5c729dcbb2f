#include "support/diagnostic.h"

namespace dagaz {

namespace {
struct KindRow {
  std::string_view name;
  Severity severity;
  std::string_view summary;
};
constexpr KindRow kind_rows[] = {
#define DZ_KIND(name, text, severity, summary) {text, Severity::severity, summary},
#include "support/diagnostic_kinds.def"
#undef DZ_KIND
};
}  // namespace

std::string_view kind_name(DiagnosticKind kind) {
  return kind_rows[static_cast<std::size_t>(kind)].name;
}
Severity kind_severity(DiagnosticKind kind) {
  return kind_rows[static_cast<std::size_t>(kind)].severity;
}
std::string_view kind_summary(DiagnosticKind kind) {
  return kind_rows[static_cast<std::size_t>(kind)].summary;
}

Diagnostic& Diagnostics::report(DiagnosticKind kind, const Range& range, std::string message) {
  if (kind_severity(kind) == Severity::error) ++errors_;
  items_.push_back(Diagnostic{kind, range, std::move(message)});
  return items_.back();
}

}  // namespace dagaz
