// The generated C header.
#pragma once

#include <string>

#include "codegen/codegen.h"

namespace dagaz::codegen {

/// The text of the header that declares the program's C interface.
std::string c_header(const tree::Program& program, const Options& options);

}  // namespace dagaz::codegen
