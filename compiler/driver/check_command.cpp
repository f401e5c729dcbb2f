// dagaz check: parse and type-check; never opens LLVM.  Mistakes in one declaration do not hide
// those of others: what can be parsed is checked, and errors are left out only where they may
// follow from one already reported.  Warnings wait until the text parses.  With --fix the edits
// that are certain are made before.
#include <algorithm>
#include <iostream>
#include <memory>
#include <utility>

#include "check/explain_sizes.h"
#include "check/recovered.h"
#include "driver/commands.h"
#include "driver/compile.h"
#include "driver/line_diff.h"
#include "driver/mend.h"
#include "driver/replace_file.h"
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

void check_file(Compilation& compilation) {
  syntax::Recovery recovery;
  {
    const PassTimer timer(compilation.times, "parse");
    compilation.syntax =
        syntax::parse_program(compilation.options.file, compilation.files, compilation.names,
                              compilation.diagnostics, compilation.options.read, &recovery);
  }
  if (!compilation.diagnostics.has_errors()) {
    check(compilation);
  } else if (only_syntax_errors(compilation.diagnostics)) {
    check_rest(compilation, recovery);
  }
}

// Shows what is changed as `diff -u` does.  False if a file could not be written.
bool mend_files(const CompileOptions& options) {
  const Texts texts = mended([&](const Texts& changed) {
    CompileOptions these = options;
    these.read = [&](const std::string& path) {
      const auto found = changed.find(path);
      return found == changed.end() ? options.read(path) : found->second;
    };
    auto compilation = std::make_unique<Compilation>(std::move(these));
    check_file(*compilation);
    return compilation;
  });
  bool done = true;
  for (const auto& [path, text] : texts) {
    std::cout << line_diff(path, options.read(path).value_or(""), text) << std::flush;
    if (replace_file(path, text)) continue;
    std::cerr << "dagaz: cannot write `" << path << "`\n";
    done = false;
  }
  return done;
}

}  // namespace

int check_command(const CheckOptions& options) {
  const Doing doing("checking");
  if (options.fix && !mend_files(options.compile)) return 1;
  Compilation compilation(options.compile);
  if (!options.explain_sizes) {
    check_file(compilation);
  } else if (parse(compilation)) {
    std::cout << check::check_and_explain_sizes(compilation.syntax, compilation.files,
                                                compilation.names, compilation.diagnostics)
              << std::flush;
  }
  return report(compilation) ? 1 : 0;
}

}  // namespace dagaz::driver
