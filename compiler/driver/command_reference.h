// What `--help` says, for other readers: manual pages, and completion in shells.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace dagaz::driver {

/// The page of a command in the language of `man`: dagaz(1), or dagaz-build(1).
std::string manual_page(const CLI::App& app, const CLI::App& command);

/// What bash, zsh or fish reads to complete command lines; empty for other shells.
std::string completion_script(const CLI::App& app, const std::string& shell);

/// `dagaz manual` and `dagaz completion`, about all commands of `app`.
void add_reference_commands(CLI::App& app, int& status);

}  // namespace dagaz::driver
