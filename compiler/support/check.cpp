#include "support/check.h"

#include <cstdlib>
#include <iostream>
#include <string>

namespace dagaz {

// The innermost scope.  Thread-local, and only ever read to describe a bug: it carries no
// information between phases.
static thread_local Doing* innermost = nullptr;

Doing::Doing(std::string_view what) : what_(what), outer_(innermost) { innermost = this; }

Doing::~Doing() { innermost = outer_; }

void bug(std::string_view file, int line, std::string_view message) {
  std::cerr << "dagaz: internal error at " << file << ":" << line << ": " << message << "\n";
  for (const Doing* scope = innermost; scope != nullptr; scope = scope->outer_) {
    std::cerr << "  while " << scope->what_ << "\n";
  }
  std::cerr << "This is a bug in Dagaz, not in your program.  Please report it with the program "
               "and the command line.\n";
  std::cerr.flush();
  std::_Exit(70);
}

void failed_check(std::string_view file, int line, std::string_view condition,
                  std::string_view message) {
  bug(file, line, "`" + std::string(condition) + "` does not hold: " + std::string(message));
}

}  // namespace dagaz
