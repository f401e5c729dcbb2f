// Whether the checker has kept its promises about the slots of the syntax tree.
#pragma once

#include <string>
#include <vector>

#include "check/check.h"

namespace dagaz::check {

/// What is wrong with the slots of a program without errors, one line each.
std::vector<std::string> verify_slots(const CheckedProgram& checked, const NameTable& names,
                                      const SourceFiles& sources);

}  // namespace dagaz::check
