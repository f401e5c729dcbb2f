// PTX in fewer characters.  Names that mean something in one function only need not say in which:
// LLVM writes a kernel's name before each of its parameters, and a function's number in labels. Nor
// are comments needed: those that number calls depend on the order in which threads make parts.
#pragma once

#include <string>

#include <llvm/ADT/StringRef.h>

namespace dagaz::codegen {

/// Takes a module line by line.
class ShortPtx {
 public:
  /// With its end; empty for one that says nothing.
  std::string line(llvm::StringRef text);

 private:
  std::string function_;  // the one that the lines are of
};

}  // namespace dagaz::codegen
