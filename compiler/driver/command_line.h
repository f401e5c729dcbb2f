// The command line: options and subcommands.
#pragma once

namespace dagaz::driver {

/// Parses the arguments of `main` and runs the subcommand; returns the exit status.
int run_command_line(int argc, char** argv);

}  // namespace dagaz::driver
