// Compiling one program to the forms that were asked for; the body of the shared object.
#pragma once

#include "codegen/codegen.h"

namespace dagaz::codegen {

/// What codegen::generate does, inside the shared object.
Artifacts compile(const imperative::Program& program, const SourceFiles& files,
                  const Options& options, unsigned want);

/// What codegen::run_in_process does, inside the shared object.
int execute(const imperative::Program& program, const SourceFiles& files, const Options& options,
            int argc, char** argv);

}  // namespace dagaz::codegen
