#include "driver/compile.h"

#include <algorithm>
#include <iostream>
#include <utility>

#include "driver/integer_derivatives.h"
#include "elaborate/elaborate.h"
#include "syntax/imports.h"

namespace dagaz::driver {

std::string_view name_of(Target target) {
  switch (target) {
    case Target::cpu: return "cpu";
    case Target::cuda: return "cuda";
    case Target::sim: return "sim";
    case Target::interpreter: return "interpreter";
  }
  DZ_UNREACHABLE("target");
}

// What is asked for from outside is treated as if it had been written so.
static void mark_entry_points(Compilation& compilation) {
  const std::vector<std::string>& wanted = compilation.options.entry_points;
  if (compilation.syntax.files.empty()) return;
  for (ast::Declaration* declaration : compilation.syntax.files.back().declarations) {
    auto* value = std::get_if<ast::ValueDeclaration>(&declaration->node);
    if (value == nullptr) continue;
    const std::string_view name = compilation.names.text(value->name.symbol);
    if (std::find(wanted.begin(), wanted.end(), name) != wanted.end()) {
      value->keyword = ast::ValueKeyword::entry;
    }
  }
}

bool parse(Compilation& compilation) {
  const Doing doing("parsing");
  const PassTimer timer(compilation.times, "parse");
  compilation.syntax = syntax::parse_program(compilation.options.file, compilation.files,
                                          compilation.names, compilation.diagnostics,
                                          compilation.options.read);
  mark_entry_points(compilation);
  return !compilation.diagnostics.has_errors();
}

bool check(Compilation& compilation) {
  const Doing doing("checking");
  const PassTimer timer(compilation.times, "check");
  compilation.checked =
      check::check_program(compilation.syntax, compilation.names, compilation.diagnostics);
  return !compilation.diagnostics.has_errors();
}

std::optional<ir::ParallelProgram> elaborate(Compilation& compilation) {
  const Doing doing("elaborating");
  const PassTimer timer(compilation.times, "elaborate");
  const auto safety = compilation.options.safe ? elaborate::Safety::always
                                               : elaborate::Safety::as_written;
  ir::ParallelProgram program =
      elaborate::elaborate(compilation.checked, compilation.files, compilation.names,
                           compilation.diagnostics, safety, compilation.options.derivatives);
  if (compilation.diagnostics.has_errors()) return std::nullopt;
  if (compilation.options.verify) {
    verify_made_by("elaboration", program.program, ir::Stage::parallel);
  }
  warn_of_integer_derivatives(program.program, compilation.files, compilation.diagnostics);
  return program;
}

std::optional<ir::ParallelProgram> front_end(Compilation& compilation) {
  if (!parse(compilation) || !check(compilation)) return std::nullopt;
  return elaborate(compilation);
}

PassContext pass_context(Compilation& compilation, passes::AdReport* report) {
  return {compilation.options, compilation.times, compilation.diagnostics, compilation.history,
          report, &compilation.memory_report};
}

// All diagnostics in the order of the source; those without a place come first.
static std::vector<const Diagnostic*> in_source_order(const Diagnostics& diagnostics) {
  std::vector<const Diagnostic*> result;
  for (const Diagnostic& diagnostic : diagnostics.all()) result.push_back(&diagnostic);
  const auto key = [](const Diagnostic* d) {
    return d->range.valid() ? std::pair(d->range.file.index + std::uint64_t{1}, d->range.begin)
                            : std::pair(std::uint64_t{0}, std::uint32_t{0});
  };
  std::stable_sort(result.begin(), result.end(),
                   [&](const auto* a, const auto* b) { return key(a) < key(b); });
  return result;
}

Report report_of(const Compilation& compilation) {
  const CompileOptions& options = compilation.options;
  Report result{"", compilation.diagnostics.has_errors()};
  for (const Diagnostic* diagnostic : in_source_order(compilation.diagnostics)) {
    const bool warning = kind_severity(diagnostic->kind) == Severity::warning;
    if (warning && !options.warnings) continue;
    if (warning && options.warnings_are_errors) result.failed = true;
    result.text += render(*diagnostic, compilation.files, options.style);
  }
  result.text += compilation.memory_report;
  if (options.time_passes) result.text += compilation.times.table();
  return result;
}

bool report(const Compilation& compilation) {
  const Report result = report_of(compilation);
  std::cerr << result.text;
  return result.failed;
}

}  // namespace dagaz::driver
