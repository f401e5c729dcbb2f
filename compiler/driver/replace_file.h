// A file gets another text.
#pragma once

#include <string>

namespace dagaz::driver {

/// Puts the text in the place of the file at once, so that an interruption leaves one of both.
/// False if it cannot be written.
bool replace_file(const std::string& path, const std::string& text);

}  // namespace dagaz::driver
