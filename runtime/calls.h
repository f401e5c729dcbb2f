// Calls of an executable: one, as its command line says, or those of a file.
#pragma once

#include "command_line.h"

namespace dagaz::runtime {

enum class CallKind { only, of_many };

/// Makes the call that a command line says; returns the exit status.
int run_call(const dz_program& program, int argc, char** argv, dz_streams streams, CallKind kind);

/// Makes the calls of the file in `options`, one after the other.  Starting processes that work
/// together takes longer than most calls.
int run_calls(const dz_program& program, const Options& options, dz_streams streams);

}  // namespace dagaz::runtime
