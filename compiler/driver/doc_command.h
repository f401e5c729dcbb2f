// dagaz doc [PATH…]: a static site about programs.
#pragma once

#include <string>
#include <vector>

#include "support/diagnostic.h"

namespace dagaz::driver {

struct DocOptions {
  std::vector<std::string> paths;    // files, or folders to search for .fut files
  std::string output = "site";       // the folder to write
  std::string title = "Documentation";
  bool library = false;              // also the standard library
  bool warnings_are_errors = false;  // references that lead nowhere
  RenderStyle style = RenderStyle::plain;
};

/// Returns the exit status, as the commands of commands.h do.
int doc_command(const DocOptions& options);

}  // namespace dagaz::driver
