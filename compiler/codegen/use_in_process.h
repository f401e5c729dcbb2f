// Running a program inside this process, as often as one likes.
#pragma once

#include <functional>

#include "codegen/codegen.h"

struct dz_rank_messages;

namespace dagaz::codegen {

/// Runs the program as an executable would run: arguments as of main, the program's name first;
/// values from stdin to stdout.  As one of several ranks, or, if `ranks` is null, alone.  Returns
/// the exit status.
using Run = std::function<int(int argc, char** argv, const dz_rank_messages* ranks)>;

/// Links the `objects` of a program, whose symbols have `prefix`, into this process, and gives what
/// `use` makes of it.  It is there for as long as `use` is.
int use_in_process(const std::vector<std::string>& objects, const std::string& prefix,
                   const std::function<int(const Run&)>& use);

}  // namespace dagaz::codegen
