// Runs of a program by several ranks together.
#pragma once

#include <string>
#include <vector>

#include "driver/process.h"

namespace dagaz::driver {

/// A call of an entry point; its results are wanted in the binary form.
struct RankCall {
  std::string entry;
  std::string input;
};

/// What starts so many processes of one program: $MPIRUN, which may have options, or mpirun.
std::vector<std::string> rank_launcher(int ranks);

/// Makes the calls of the executable `folder`/program, in as few starts as can be: when one of them
/// ends the processes, it and those behind it are made one by one.
std::vector<ProcessResult> run_on_ranks(const std::string& folder, int ranks,
                                        const std::vector<RankCall>& calls, double timeout);

}  // namespace dagaz::driver
