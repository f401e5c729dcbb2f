// Which files are part of the standard library.
#pragma once

#include <algorithm>

#include "check/context.h"
#include "support/library_folder.h"

namespace dagaz::check {

/// Whether what is at `range` is written in the standard library.
inline bool is_of_library(const Context& context, const Range& range) {
  const auto& files = context.program.files;
  const auto found = std::find_if(files.begin(), files.end(), [&](const ast::File& each) {
    return each.id == range.file;
  });
  return found != files.end() && is_library_file(found->path);
}

}  // namespace dagaz::check
