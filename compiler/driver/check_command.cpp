// dagaz check: parse and type-check; never opens LLVM.  Mistakes in one declaration do not hide
// those of others: what can be parsed is checked, and errors are left out only where they may
// follow from one already reported.  Warnings wait until the text parses.
#include <algorithm>

#include "driver/commands.h"
#include "driver/compile.h"
#include "syntax/imports.h"

namespace dagaz::driver {

namespace {

bool only_syntax_errors(const Diagnostics& diagnostics) {
  return std::all_of(diagnostics.all().begin(), diagnostics.all().end(), [](const Diagnostic& d) {
    return d.kind == DiagnosticKind::syntax || kind_severity(d.kind) == Severity::warning;
  });
}

// Whether a message may only be there because declarations were left out.
bool may_follow(const Diagnostic& diagnostic, const syntax::Recovery& recovery,
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

void check_rest(Compilation& compilation, const syntax::Recovery& recovery) {
  Diagnostics found;
  check::check_program(compilation.syntax, compilation.names, found);
  for (const Diagnostic& d : found.all()) {
    const bool is_warning = kind_severity(d.kind) == Severity::warning;
    if (is_warning || may_follow(d, recovery, compilation.files)) continue;
    Diagnostic& reported = compilation.diagnostics.report(d.kind, d.range, d.message);
    reported.labels = d.labels;
    reported.hints = d.hints;
  }
}

}  // namespace

int check_command(const CompileOptions& options) {
  const Doing doing("checking");
  Compilation compilation(options);
  syntax::Recovery recovery;
  {
    const PassTimer timer(compilation.times, "parse");
    compilation.syntax =
        syntax::parse_program(options.file, compilation.files, compilation.names,
                              compilation.diagnostics, syntax::read_file, &recovery);
  }
  if (!compilation.diagnostics.has_errors()) {
    check(compilation);
  } else if (only_syntax_errors(compilation.diagnostics)) {
    check_rest(compilation, recovery);
  }
  return report(compilation) ? 1 : 0;
}

}  // namespace dagaz::driver
