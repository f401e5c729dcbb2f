// dagaz literate: a program with its comments as text and its directives carried out, as Markdown
// and HTML.
#pragma once

#include <string>
#include <vector>

#include "driver/options.h"

namespace dagaz::driver {

struct LiterateOptions {
  CompileOptions compile;
  std::string output;  // empty: the program's name with .md
  bool html = false;   // also the page as HTML
  bool stop_on_error = false;
  bool verbose = false;
  std::vector<std::string> program_arguments;
};

int literate_command(const LiterateOptions& options);

}  // namespace dagaz::driver
