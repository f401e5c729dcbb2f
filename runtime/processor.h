// Whether a program can run on this processor: what it was compiled for is part of its description.
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

}  // namespace dagaz::runtime
