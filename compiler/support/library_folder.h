// Where the standard library's files are, as they are named: the compiler contains them.
#pragma once

#include <string_view>

namespace dagaz {

inline constexpr std::string_view library_folder = "/prelude/";

/// Whether the file of this name is the library's.
inline bool is_library_file(std::string_view file) { return file.starts_with(library_folder); }

}  // namespace dagaz
