#include "support/diagnostic.h"

#include <utility>

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

Hint::Hint(std::string the_text) : text(std::move(the_text)) {}
Hint::Hint(const char* the_text) : text(the_text) {}
Hint::Hint(std::string the_text, std::vector<Edit> the_edits, Applicability how)
    : text(std::move(the_text)), edits(std::move(the_edits)), applicability(how) {}

Diagnostic& Diagnostics::report(DiagnosticKind kind, const Range& range, std::string message) {
  if (kind_severity(kind) == Severity::error) ++errors_;
  items_.push_back(Diagnostic{kind, range, std::move(message)});
  return items_.back();
}

}  // namespace dagaz
