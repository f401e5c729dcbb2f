// What the user is told of a command line that makes no sense.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace dagaz::driver {

/// Says on standard error what is wrong, and what may be meant.
void report_mistake(const CLI::App& app, const CLI::ParseError& error,
                    const std::vector<std::string>& arguments);

/// The option of `command` that is meant by an argument that is handed on to the program, but is
/// none of the program's; empty if it may be the program's.
std::string meant_option(const CLI::App& command, const std::string& argument);

}  // namespace dagaz::driver
