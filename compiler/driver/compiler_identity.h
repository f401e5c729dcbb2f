// What compiled programs depend on besides their source and the options: texts that differ where
// the results may.
#pragma once

#include <string>

namespace dagaz::driver {

/// This compiler, with its code generator.
std::string compiler_identity();
/// What executables are linked with.
std::string linking_identity();
/// What `--cpu=native` stands for here.
std::string processor_identity();

}  // namespace dagaz::driver
