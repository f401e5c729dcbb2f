// Functions of the host that are very long are divided into pieces, each a function of its own:
// several of LLVM's passes take time that grows with the square of a function's length.
#pragma once

#include <optional>
#include <string>
#include <unordered_set>

#include "codegen/tunables.h"
#include "tree/tree.h"

namespace dagaz::codegen {

/// A program with pieces of its functions, which must stay functions of their own.
struct DividedFunctions {
  tree::Program program;
  std::unordered_set<std::string> pieces;
};

/// The program without long functions; nothing if it has none.
std::optional<DividedFunctions> divide_long_functions(const tree::Program& program,
                                                      const Tunables& tunables);

}  // namespace dagaz::codegen
