// Whether a program, or which version of it, can run on this processor: what it was compiled for is
// part of its description.
#pragma once

#include <string>
#include <string_view>

#include "abi.h"

namespace dagaz::runtime {

/// Whether this processor, and the system that saves its registers, has a feature of
/// processor_features.def; no for names that are not there.
bool processor_has(std::string_view feature);

/// Why `program` cannot run where `has` says what there is; empty if it can.
std::string lacking_processor(const dz_program& program, bool (*has)(std::string_view feature));

/// The version of `program` that runs where `has` says what there is: the last that can, `program`
/// itself if none can.
const dz_program& best_version(const dz_program& program, bool (*has)(std::string_view feature));

/// The version of `program` for the processor with this name; null if there is none.
const dz_program* version_named(const dz_program& program, std::string_view processor);

/// The names of the processors that versions of `program` are for, as a list to be read.
std::string versions_of(const dz_program& program);

}  // namespace dagaz::runtime
