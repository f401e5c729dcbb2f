// The subcommands.  Each returns the exit status: 0 success, 1 the program or its data is wrong,
// 2 the command line is wrong (70, a bug in Dagaz, ends the process where it is found).
#pragma once

#include "driver/options.h"

namespace dagaz::driver {

/// dagaz check FILE: diagnostics only.
int check_command(const CheckOptions& options);
/// dagaz build FILE: machine code, PTX, a library …
int build_command(const BuildOptions& options);
/// dagaz run FILE: compile in memory and run, or interpret.
int run_command(const RunOptions& options);
/// dagaz bench PATH…: time them.
int bench_command(const BenchOptions& options);
/// dagaz autotune FILE: find the tunables that make its test inputs fast, write FILE.tuning.
int autotune_command(const AutotuneOptions& options);
/// dagaz inspect FILE: any stage of the pipeline as text.
int inspect_command(const InspectOptions& options);
/// dagaz explain KIND: what a kind of diagnostic means.
int explain_command(const ExplainOptions& options);

}  // namespace dagaz::driver
