// The phases of one compilation, in order.  Each step needs the one before; each stops at the
// first phase that reported errors.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "check/check.h"
#include "driver/options.h"
#include "driver/pass_manager.h"
#include "ir/program.h"
#include "passes/passes.h"
#include "support/diagnostic.h"
#include "support/name_table.h"
#include "support/source.h"
#include "syntax/ast.h"

namespace dagaz::driver {

/// Everything one compilation owns.  Not movable: phases point into it.
struct Compilation {
  explicit Compilation(CompileOptions compile_options) : options(std::move(compile_options)) {}
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;

  CompileOptions options;
  SourceFiles files;
  NameTable names;
  Diagnostics diagnostics;
  PassTimes times;
  PassHistory history;
  std::string memory_report;  // where the arrays lie, if that was asked for
  ast::Program syntax;
  check::CheckedProgram checked;
};

/// Text → AST.  False if there were errors.
bool parse(Compilation& compilation);
/// AST → typed AST.  False if there were errors.
bool check(Compilation& compilation);
/// Typed AST → array IR.  Nothing if there were errors.
std::optional<ir::ParallelProgram> elaborate(Compilation& compilation);
/// All of the above.
std::optional<ir::ParallelProgram> front_end(Compilation& compilation);

/// How the passes of a compilation are run; `report` may be null.
PassContext pass_context(Compilation& compilation, passes::AdReport* report = nullptr);

/// What a compilation has to say.
struct Report {
  std::string text;  // the diagnostics, and the tables that the options ask for
  bool failed = false;
};
Report report_of(const Compilation& compilation);

/// Prints that to stderr and says whether there were errors.
bool report(const Compilation& compilation);

}  // namespace dagaz::driver
