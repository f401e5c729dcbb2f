// The manifest: the C interface for programs that generate bindings, as JSON in the peer's schema.
#pragma once

#include <string>

#include "codegen/codegen.h"

namespace dagaz::codegen {

std::string manifest(const tree::Program& program, const Options& options);

}  // namespace dagaz::codegen
