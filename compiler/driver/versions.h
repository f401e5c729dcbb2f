// A program compiled for one processor or for several: `--cpu=dispatch` makes a version for each level
// of x86-64, and the runtime takes the best that the processor at hand can run.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/codegen.h"
#include "driver/compile.h"

namespace dagaz::driver {

/// The value of `--cpu` that asks for several versions.
inline constexpr std::string_view cpu_dispatch = "dispatch";

/// What is said where one version is shown.
inline constexpr std::string_view several_versions =
    "dagaz: --cpu=dispatch makes several versions; name the processor of the one to show, as in "
    "--cpu=x86-64-v3\n";

/// Which processors `options` compile host code for, the least first; a GPU's host code only leads
/// the kernels, so there is one version of it.
std::vector<std::string> processors_of(const CompileOptions& options);

/// Compiles a program into what `want`, a set of codegen::Want, names; processor, GPU and optimisation
/// are those of the compilation, the rest is in `options`.  Object code is of all versions, everything
/// else of the first.  Nothing after a diagnostic.
std::optional<codegen::Artifacts> compile_versions(ir::ParallelProgram program,
                                                   Compilation& compilation,
                                                   codegen::Options options, unsigned want);

}  // namespace dagaz::driver
