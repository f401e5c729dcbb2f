// Opening the code generator.  It is a shared object, opened on first use, so that checking and
// formatting never pay for loading LLVM; what it offers is codegen.h as function pointers.
#pragma once

#include "codegen/use_in_process.h"
#include "support/diagnostic.h"

namespace dagaz::codegen {

/// The functions of codegen.h and use_in_process.h.
struct Library {
  decltype(&codegen::generate) generate = nullptr;
  decltype(&codegen::use_in_process) use_in_process = nullptr;
};

/// The code generator, or null after a diagnostic that says why there is none.
const Library* load(Diagnostics& diagnostics);

}  // namespace dagaz::codegen
