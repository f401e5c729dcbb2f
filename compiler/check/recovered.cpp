// See recovered.h.
#include "check/recovered.h"

#include <algorithm>
#include <string_view>

namespace dagaz::check {

// Whether a message may only be there because declarations were left out.
static bool may_follow(const Diagnostic& diagnostic, const syntax::Recovery& recovery,
                const SourceFiles& files) {
  const Range& range = diagnostic.range;
  const bool inside = std::any_of(
      recovery.damaged.begin(), recovery.damaged.end(), [&](const Range& damaged) {
        return range.file == damaged.file && damaged.begin <= range.begin &&
               range.begin <= damaged.end;
      });
  if (inside) return true;
  if (recovery.lost_words.empty()) return false;
  if (diagnostic.kind == DiagnosticKind::module_mismatch) return true;
  if (diagnostic.kind != DiagnosticKind::unknown_name || !range.valid()) return false;
  // Any part of `M.x`.
  std::string_view name = files.text(range);
  for (std::size_t dot = 0; dot != std::string_view::npos;) {
    dot = name.find('.');
    if (recovery.lost_words.contains(name.substr(0, dot))) return true;
    if (dot != std::string_view::npos) name.remove_prefix(dot + 1);
  }
  return false;
}

std::vector<Diagnostic> independent_errors(const Diagnostics& found,
                                           const syntax::Recovery& recovery,
                                           const SourceFiles& files) {
  std::vector<Diagnostic> result;
  for (const Diagnostic& d : found.all()) {
    const bool is_warning = kind_severity(d.kind) == Severity::warning;
    if (!is_warning && !may_follow(d, recovery, files)) result.push_back(d);
  }
  return result;
}

}  // namespace dagaz::check
