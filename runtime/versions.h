// A program that was compiled for several processors or targets (dz_program.versions): which
// version a context runs.
#pragma once

#include <string>
#include <string_view>

#include "abi.h"

namespace dagaz::runtime {

/// Whether this machine has what a version needs: processor and, for kernels, a GPU with its
/// driver.
bool can_run(const dz_program& version);

/// The last version that `runs` says can run, `program` itself if there is none.
const dz_program& best_version(const dz_program& program, bool (*runs)(const dz_program&));

/// The version that a context runs whose settings have this device: the best of the target, the one
/// for the processor, or, the name being that of a GPU, the one with kernels for it; the best of
/// all if the name is empty.  Null if there is none such.
const dz_program* version_for(const dz_program& program, std::string_view device,
                              bool (*runs)(const dz_program&));

/// What the versions are for, as a list to be read: `cpu x86-64-v2, cuda`.
std::string versions_of(const dz_program& program);
/// The same of one version.
std::string version_name(const dz_program& version);

}  // namespace dagaz::runtime
