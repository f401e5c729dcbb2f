// See command_line_mistakes.h.
#include "driver/command_line_mistakes.h"

#include <algorithm>
#include <iostream>
#include <string_view>

#include "support/spelling.h"

namespace dagaz::driver {

namespace {

/// Long options that compiled programs have and no command does.
constexpr std::string_view of_programs[] = {
    "--binary-output", "--any-type", "--no-print-result", "--debugging", "--log", "--profile",
    "--print-params"};

std::string without_value(const std::string& argument) {
  return argument.substr(0, argument.find('='));
}

bool is_long_option(const std::string& argument) {
  return argument.size() > 3 && argument.starts_with("--");
}

std::vector<std::string> long_options(const CLI::App& command) {
  std::vector<std::string> result;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) result.push_back("--" + name);
  }
  return result;
}

/// Where `command` does not know an option: what is meant.
std::string suggested_option(const CLI::App& command, const std::vector<std::string>& arguments) {
  const std::vector<std::string> known = long_options(command);
  for (const std::string& argument : arguments) {
    const std::string option = without_value(argument);
    const bool is_known = std::find(known.begin(), known.end(), option) != known.end();
    if (!is_long_option(option) || is_known) continue;
    const std::string meant = did_you_mean(option, known);
    if (!meant.empty()) return meant;
  }
  return "";
}

}  // namespace

std::string meant_option(const CLI::App& command, const std::string& argument) {
  const std::string option = without_value(argument);
  if (!is_long_option(option) || option.starts_with("--default-")) return "";
  // Programs take every beginning of an option that is one of theirs only.
  const bool is_of_program =
      std::any_of(std::begin(of_programs), std::end(of_programs),
                  [&](std::string_view known) { return known.starts_with(option); });
  return is_of_program ? "" : did_you_mean(option, long_options(command));
}

void report_mistake(const CLI::App& app, const CLI::ParseError& error,
                    const std::vector<std::string>& arguments) {
  const auto chosen = app.get_subcommands();
  const std::string help = "\nRun `dagaz ";
  if (!arguments.empty() && !arguments[0].starts_with("-") && chosen.empty()) {
    std::vector<std::string> commands;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
      commands.push_back(command->get_name());
    }
    std::cerr << "dagaz: there is no command `" << arguments[0] << "`"
              << did_you_mean(arguments[0], commands) << help
              << "--help` for more information.\n";
    return;
  }
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  const std::string name = chosen.empty() ? "" : command.get_name() + " ";
  const bool is_unknown = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  std::cerr << "dagaz: " << error.what()
            << (is_unknown ? suggested_option(command, arguments) : "") << help << name
            << "--help` for more information.\n";
}

}  // namespace dagaz::driver
