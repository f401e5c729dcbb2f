// Tunables from the command line and from .tuning files.
//
// A file beside the program, FILE.tuning, holds lines NAME=VALUE.  Those named `plan.NAME` are
// tunables of the compiler (tunables.h); the others are parameters of the compiled program,
// set when it starts.  Names that the program lacks do no harm: tuning files made for another
// compiler name parameters of its own.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "driver/options.h"
#include "driver/tunables.h"
#include "support/diagnostic.h"

namespace dagaz::driver {

/// Before the names of the compiler's tunables in a .tuning file.
inline constexpr std::string_view tunable_prefix = "plan.";

/// The name of the tuning file of a program.
std::string tuning_file_of(const std::string& program);

/// Sets `tunables` from NAME=VALUE.  What is wrong with it, or an empty text.
std::string set_tunable(Tunables& tunables, const std::string& assignment);

/// What the program's own tuning parameters are set to by its tuning file.
using TunedParameters = std::map<std::string, std::int64_t>;
TunedParameters tuned_parameters_of(const CompileOptions& options, Diagnostics& diagnostics);

/// The tunables of a program: those of its tuning file, then those of the command line.
Tunables tunables_of(const CompileOptions& options, Diagnostics& diagnostics);

}  // namespace dagaz::driver
