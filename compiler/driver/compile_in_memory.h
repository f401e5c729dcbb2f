// Object code for this process.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/compile.h"
#include "ir/program.h"

namespace dagaz::driver {

/// What the symbols of programs in this process begin with.
inline constexpr std::string_view prefix_in_memory = "program";

/// The object files of a program; nothing after a diagnostic.
std::optional<std::vector<std::string>> objects_of(ir::ParallelProgram program,
                                                   Compilation& compilation);

/// The object files of the program of `options`, as kept from another time or compiled; nothing
/// after printing its mistakes.
std::optional<std::vector<std::string>> compile_in_memory(const CompileOptions& options);

}  // namespace dagaz::driver
