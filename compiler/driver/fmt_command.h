// dagaz fmt [PATH…]: programs in the common layout.
#pragma once

#include <string>
#include <vector>

#include "support/diagnostic.h"

namespace dagaz::driver {

struct FmtOptions {
  std::vector<std::string> paths;  // none: from standard input to standard output
  bool check = false;              // write nothing; status 1 if something would change
  bool diff = false;               // write nothing; print what would change
  RenderStyle style = RenderStyle::plain;
};

/// Returns the exit status, as the commands of commands.h do.
int fmt_command(const FmtOptions& options);

}  // namespace dagaz::driver
