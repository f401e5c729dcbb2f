// Whether ranks run the same program with the same options.
#pragma once

#include "command_line.h"
#include "ranks/messages.h"

namespace dagaz::runtime {

/// Where they do not, each that differs from the first says so.  `ranks` may be null.
bool are_alike(const dz_program& program, const Options& options, int argc, char** argv,
               const dz_rank_messages* ranks);

}  // namespace dagaz::runtime
