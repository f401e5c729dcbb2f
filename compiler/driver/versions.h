// A program compiled for one machine or for several: `--cpu=dispatch` makes a version for each
// level of x86-64, `--target=cpu,cuda` one for each target, and the runtime takes the best that the
// machine at hand can run.
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
    "dagaz: several versions are asked for; name the one to show, as in --target=cpu "
    "--cpu=x86-64-v3\n";

struct Version {
  Target target = Target::cpu;
  std::string processor;  // of the host's code, as for `--cpu`
};

/// What `options` ask for, the version that needs least first.  A GPU's host code only leads the
/// kernels: there is one version of it.
std::vector<Version> versions_of(const CompileOptions& options);

/// The target whose libraries serve all versions.
Target linked_target(const CompileOptions& options);

/// Compiles a program into what `want`, a set of codegen::Want, names; processor, GPU and
/// optimisation are those of the compilation, the rest is in `options`.  Object code is of all
/// versions, everything else of the first.  Nothing after a diagnostic.
std::optional<codegen::Artifacts> compile_versions(ir::ParallelProgram program,
                                                   Compilation& compilation,
                                                   codegen::Options options, unsigned want);

}  // namespace dagaz::driver
