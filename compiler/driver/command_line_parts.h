// Options that several commands have.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "driver/options.h"

namespace dagaz::driver {

/// FILE, the program.
void add_file(CLI::App& app, CompileOptions& options);
/// How messages are printed, and what is said of the compilation.
void add_diagnostic_options(CLI::App& app, CompileOptions& options);
/// Of `dagaz build`: machine code for GPUs beside the PTX.
void add_gpu_code_options(CLI::App& app, CompileOptions& options);
/// All of those but for `dagaz build` alone, and where and how the program is compiled.
void add_compile_options(CLI::App& app, CompileOptions& options);
void add_ranks_option(CLI::App& app, CompileOptions& options);
void add_cache_option(CLI::App& app, CompileOptions& options);
void add_derivative_option(CLI::App& app, CompileOptions& options);

/// A pass must exist; one that is to be left out, not be required.
enum class MayBe { any, optional };
CLI::Validator is_pass(MayBe which);

/// --sim-seed, for the programs that a command starts, in their environment.
void add_sim_seed(CLI::App& command);

/// Options of compiled programs, handed on in `arguments`: all of them, or those that say on what
/// machine the program runs.
enum class Which { all, of_the_machine };
void add_program_options(CLI::App& command, std::vector<std::string>& arguments, Which which);

}  // namespace dagaz::driver
