// A header for C++17 over the C interface of a program.
#pragma once

#include <string>

namespace dagaz::driver {

/// The text of NAME.hpp, made of the manifest of the program whose C names begin with `prefix`;
/// `c_header` is the name of the file that it includes.
std::string cpp_header(const std::string& manifest, const std::string& prefix,
                       const std::string& c_header);

}  // namespace dagaz::driver
