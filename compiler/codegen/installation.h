// Where the files that belong to the compiler lie.
#pragma once

#include <string>
#include <vector>

namespace dagaz::codegen {

/// The folder of the shared object or executable that holds this code, and the library folder of
/// an installation beside it.
std::vector<std::string> library_folders();

}  // namespace dagaz::codegen
