// From where to where a range lies, for those who read errors of programs.
#pragma once

#include <string>

#include "support/source.h"

namespace dagaz {

/// `file:line:column-column`, or `file:line:column-line:column` where it ends on another line; the
/// last column is the one behind it.
std::string describe_whole(const Range& range, const SourceFiles& files);

}  // namespace dagaz
