// Tunables of plans from the command line and from .tuning files.
//
// A file beside the program, FILE.tuning, holds lines NAME=VALUE.  Those named `plan.NAME` are
// tunables of the compiler (plan/tunables.def); the others are parameters of the compiled program.
#pragma once

#include <string>

#include "driver/options.h"
#include "plan/tunables.h"
#include "support/diagnostic.h"

namespace dagaz::driver {

/// Before the names of the compiler's tunables in a .tuning file.
inline constexpr std::string_view tunable_prefix = "plan.";

/// The name of the tuning file of a program.
std::string tuning_file_of(const std::string& program);

/// Sets `tunables` from NAME=VALUE.  What is wrong with it, or an empty text.
std::string set_tunable(plan::Tunables& tunables, const std::string& assignment);

/// The tunables of a program: those of its tuning file, then those of the command line.
plan::Tunables tunables_of(const CompileOptions& options, Diagnostics& diagnostics);

}  // namespace dagaz::driver
