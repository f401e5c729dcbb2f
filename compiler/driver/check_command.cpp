// dagaz check: parse and type-check; never opens LLVM.  Mistakes in one declaration do not hide
// those of others: what can be parsed is checked, and errors are left out only where they may
// follow from one already reported.  Warnings wait until the text parses.
#include <algorithm>

#include "check/recovered.h"
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

void check_rest(Compilation& compilation, const syntax::Recovery& recovery) {
  Diagnostics found;
  check::check_program(compilation.syntax, compilation.names, found);
  const auto errors = check::independent_errors(found, recovery, compilation.files);
  for (const Diagnostic& d : errors) {
    compilation.diagnostics.report(d.kind, d.range, d.message) = d;
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
