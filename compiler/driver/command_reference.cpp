#include "driver/command_reference.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "driver/version.h"
#include "support/spelling.h"

namespace dagaz::driver {

namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands(std::function<bool(const CLI::App*)>());
}

/// An option as a shell sees it.
struct Flag {
  std::vector<std::string> names;  // with dashes
  std::string help;
  std::string value;                 // what it is called; empty: it takes none
  std::vector<std::string> choices;  // where there are so many values
};

// `{cpu,cuda}` lists choices.
std::vector<std::string> choices_in(const std::string& type) {
  std::vector<std::string> result;
  if (!type.starts_with("{") || !type.ends_with("}")) return result;
  std::string word;
  for (const char c : type.substr(1)) {
    if (c != ',' && c != '}') {
      word += c;
    } else if (!word.empty()) {
      result.push_back(std::exchange(word, ""));
    }
  }
  return result;
}

// What the option's value is called in `--help`, without the type that CLI11 puts before it.
std::string value_name(const CLI::Option& option) {
  if (option.get_type_size_max() == 0) return "";
  std::string type = option.get_type_name();
  if (const std::size_t colon = type.find(':'); colon != std::string::npos && colon < 10) {
    type.erase(0, colon + 1);
  }
  return type;
}

std::vector<Flag> flags_of(const CLI::App& app) {
  std::vector<Flag> flags;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) continue;
    Flag flag;
    for (const std::string& name : option->get_snames()) flag.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) flag.names.push_back("--" + name);
    flag.help = option->get_description();
    flag.value = value_name(*option);
    flag.choices = choices_in(flag.value);
    flags.push_back(std::move(flag));
  }
  return flags;
}

std::vector<const CLI::Option*> positionals_of(const CLI::App& app) {
  std::vector<const CLI::Option*> result;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) result.push_back(option);
  }
  return result;
}

std::string on_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : between) + word;
  return out;
}

// ---------------------------------------------------------------- manual pages

// Backslashes, dashes, what would be a command at the start of a line, and dots that troff has not.
std::string in_roff(std::string text) {
  constexpr std::string_view dots = "…";
  for (std::size_t at = 0; (at = text.find(dots, at)) != std::string::npos;) {
    text.replace(at, dots.size(), "...");
  }
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out += std::string("\\&") + c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string full_name(const CLI::App& app, const CLI::App& command) {
  return &app == &command ? app.get_name() : app.get_name() + "-" + command.get_name();
}

std::string synopsis(const CLI::App& app, const CLI::App& command) {
  std::string out = ".B " + in_roff(app.get_name());
  if (&app != &command) out += " " + in_roff(command.get_name());
  out += "\n[\\fIOPTION\\fR]...";
  if (!commands_of(command).empty()) out += " \\fICOMMAND\\fR";
  for (const CLI::Option* one : positionals_of(command)) {
    const std::string name = "\\fI" + in_roff(one->get_name(true)) + "\\fR";
    out += one->get_required() ? " " + name : " [" + name + "]";
    if (one->get_expected_max() > 1) out += "...";
  }
  return out + "\n";
}

std::string described(const std::string& head, const std::string& help) {
  return ".TP\n" + head + "\n" + in_roff(on_one_line(help)) + "\n";
}

std::string options_section(const CLI::App& command) {
  std::string out;
  for (const CLI::Option* one : positionals_of(command)) {
    out += described("\\fI" + in_roff(one->get_name(true)) + "\\fR", one->get_description());
  }
  for (const Flag& flag : flags_of(command)) {
    std::string head = "\\fB" + in_roff(joined(flag.names, ", ")) + "\\fR";
    if (!flag.value.empty()) head += " \\fI" + in_roff(flag.value) + "\\fR";
    out += described(head, flag.help);
  }
  return out.empty() ? "" : ".SH OPTIONS\n" + out;
}

std::string commands_section(const CLI::App& app, const CLI::App& command) {
  std::string out;
  for (const CLI::App* one : commands_of(command)) {
    out += described("\\fB" + in_roff(one->get_name()) + "\\fR", one->get_description());
    if (&app == &command) continue;
    for (const CLI::Option* argument : positionals_of(*one)) {
      out += ".RS\n" + described("\\fI" + in_roff(argument->get_name(true)) + "\\fR",
                                 argument->get_description()) + ".RE\n";
    }
  }
  return out.empty() ? "" : ".SH COMMANDS\n" + out;
}

// ---------------------------------------------------------------- completion

std::vector<std::string> names_of(const std::vector<const CLI::App*>& commands) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands) names.push_back(command->get_name());
  return names;
}

std::string all_flags(const CLI::App& command) {
  std::vector<std::string> words;
  for (const Flag& flag : flags_of(command)) {
    words.insert(words.end(), flag.names.begin(), flag.names.end());
  }
  return joined(words, " ");
}

std::string bash_case(const CLI::App& command) {
  std::string out = "    " + command.get_name() + ")\n      case \"$before\" in\n";
  for (const Flag& flag : flags_of(command)) {
    if (flag.value.empty()) continue;
    out += "        " + joined(flag.names, "|") + ") COMPREPLY=($(compgen " +
           (flag.choices.empty() ? "-f" : "-W '" + joined(flag.choices, " ") + "'") +
           " -- \"$word\")); return ;;\n";
  }
  out += "      esac\n      flags='" + all_flags(command) + "'\n";
  const auto inner = commands_of(command);
  if (!inner.empty()) out += "      commands='" + joined(names_of(inner), " ") + "'\n";
  return out + "      ;;\n";
}

std::string bash_script(const CLI::App& app) {
  const auto commands = commands_of(app);
  std::string out =
      "# Completion for bash, made by `dagaz completion bash`.\n"
      "_dagaz() {\n"
      "  local word=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
      "  local flags='" + all_flags(app) + "' commands='" + joined(names_of(commands), " ") + "'\n"
      "  # bash gives --name=value as three words.\n"
      "  if [[ $word == = ]]; then word=\n"
      "  elif [[ $before == = ]]; then before=\"${COMP_WORDS[COMP_CWORD-2]}\"; fi\n"
      "  if ((COMP_CWORD > 1)); then\n"
      "    commands=\n"
      "    case \"${COMP_WORDS[1]}\" in\n";
  for (const CLI::App* command : commands) out += bash_case(*command);
  return out +
         "    esac\n"
         "  fi\n"
         "  if [[ $word == -* ]]; then COMPREPLY=($(compgen -W \"$flags\" -- \"$word\"))\n"
         "  else COMPREPLY=($(compgen -W \"$commands\" -- \"$word\") $(compgen -f -- \"$word\")); "
         "fi\n"
         "}\n"
         "complete -o filenames -F _dagaz dagaz\n";
}

// In single quotes, for zsh and fish; `special` gets a backslash before it.
std::string quoted(const std::string& text, const std::string& special) {
  std::string out;
  for (const char c : on_one_line(text)) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (special.find(c) != std::string::npos) out += '\\';
    out += c;
  }
  return "'" + out + "'";
}

std::string zsh_flag(const Flag& flag) {
  std::string action;
  if (!flag.value.empty()) {
    action = ":value:" + (flag.choices.empty() ? "_files" : "(" + joined(flag.choices, " ") + ")");
  }
  std::string out;
  for (const std::string& name : flag.names) {
    const bool is_long = name.starts_with("--");
    const std::string equals = flag.value.empty() || !is_long ? "" : "=";
    const std::string help = quoted("[" + flag.help + "]", ":");
    // The brackets around the help are not part of it.
    out += " \\\n        '" + name + equals + "'" + help + "'" + action + "'";
  }
  return out;
}

std::string zsh_script(const CLI::App& app) {
  std::string out =
      "#compdef dagaz\n# Completion for zsh, made by `dagaz completion zsh`.\n"
      "_dagaz() {\n  local -a commands\n  commands=(\n";
  for (const CLI::App* command : commands_of(app)) {
    out += "    " + quoted(command->get_name() + ":" + command->get_description(), "") + "\n";
  }
  out += "  )\n  if ((CURRENT == 2)); then _describe command commands; return; fi\n"
         "  local command=$words[2]\n  shift words; ((CURRENT--))\n  case $command in\n";
  for (const CLI::App* command : commands_of(app)) {
    out += "    " + command->get_name() + ")\n      _arguments";
    for (const Flag& flag : flags_of(*command)) out += zsh_flag(flag);
    const auto inner = commands_of(*command);
    if (!inner.empty()) out += " \\\n        '1:command:(" + joined(names_of(inner), " ") + ")'";
    out += " \\\n        '*:file:_files'\n      ;;\n";
  }
  return out + "  esac\n}\n_dagaz \"$@\"\n";
}

std::string fish_flag(const std::string& condition, const Flag& flag) {
  std::string out = "complete -c dagaz -n '" + condition + "'";
  for (const std::string& name : flag.names) {
    out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!flag.value.empty()) out += " -r";
  if (!flag.choices.empty()) out += " -f -a '" + joined(flag.choices, " ") + "'";
  std::string help = quoted(flag.help, "\\");
  for (std::size_t at = 0; (at = help.find("'\\''", at)) != std::string::npos; at += 2) {
    help.replace(at, 4, "\\'");
  }
  return out + " -d " + help + "\n";
}

std::string fish_script(const CLI::App& app) {
  std::string out = "# Completion for fish, made by `dagaz completion fish`.\n";
  for (const CLI::App* command : commands_of(app)) {
    out += "complete -c dagaz -n __fish_use_subcommand -a " + command->get_name() + " -d " +
           quoted(command->get_description(), "\\") + "\n";
  }
  for (const Flag& flag : flags_of(app)) out += fish_flag("__fish_use_subcommand", flag);
  for (const CLI::App* command : commands_of(app)) {
    const std::string seen = "__fish_seen_subcommand_from " + command->get_name();
    for (const Flag& flag : flags_of(*command)) out += fish_flag(seen, flag);
    const auto inner = commands_of(*command);
    if (!inner.empty()) {
      out += "complete -c dagaz -f -n '" + seen + "' -a '" + joined(names_of(inner), " ") + "'\n";
    }
  }
  return out;
}

// ---------------------------------------------------------------- commands

int write_pages(const CLI::App& app, const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::create_directories(folder, error);
  std::vector<const CLI::App*> commands = commands_of(app);
  commands.insert(commands.begin(), &app);
  for (const CLI::App* command : commands) {
    std::ofstream out(fs::path(folder) / (full_name(app, *command) + ".1"));
    out << manual_page(app, *command);
    if (!out.flush()) {
      std::cerr << "dagaz: cannot write into `" << folder << "`\n";
      return 1;
    }
  }
  return 0;
}

int print_page(const CLI::App& app, const std::string& name) {
  const auto commands = commands_of(app);
  const auto found = std::find_if(commands.begin(), commands.end(),
                                  [&](const CLI::App* one) { return one->get_name() == name; });
  const CLI::App* command = name.empty() ? &app : found == commands.end() ? nullptr : *found;
  if (command == nullptr) {
    std::vector<std::string> names;
    for (const CLI::App* one : commands) names.push_back(one->get_name());
    std::cerr << "dagaz: there is no command `" << name << "`" << did_you_mean(name, names)
              << "\n";
    return 2;
  }
  std::cout << manual_page(app, *command);
  return 0;
}

}  // namespace

std::string manual_page(const CLI::App& app, const CLI::App& command) {
  const std::string name = full_name(app, command);
  std::string out = ".TH " + in_roff(name) + " 1 \"\" \"dagaz " + std::string(version) + "\"\n" +
                    ".SH NAME\n" + in_roff(name) + " \\- " +
                    in_roff(on_one_line(command.get_description())) + "\n.SH SYNOPSIS\n" +
                    synopsis(app, command) + commands_section(app, command) +
                    options_section(command);
  const std::string footer = command.get_footer();
  if (!footer.empty()) out += ".SH NOTES\n.nf\n" + in_roff(footer) + "\n.fi\n";
  if (&app != &command) return out + ".SH SEE ALSO\n.BR " + in_roff(app.get_name()) + " (1)\n";
  std::string others;
  for (const CLI::App* one : commands_of(app)) {
    others += ".BR " + in_roff(full_name(app, *one)) + " (1)\n";
  }
  return out + ".SH SEE ALSO\n" + others;
}

std::string completion_script(const CLI::App& app, const std::string& shell) {
  if (shell == "bash") return bash_script(app);
  if (shell == "zsh") return zsh_script(app);
  if (shell == "fish") return fish_script(app);
  return "";
}

void add_reference_commands(CLI::App& app, int& status) {
  CLI::App* completion =
      app.add_subcommand("completion", "Print what a shell reads to complete command lines");
  auto shell = std::make_shared<std::string>();
  completion->add_option("SHELL", *shell, "bash, zsh or fish")->required();
  completion->callback([&app, &status, shell] {
    const std::string script = completion_script(app, *shell);
    if (script.empty()) std::cerr << "dagaz: `" << *shell << "` is not one of bash, zsh, fish\n";
    std::cout << script;
    status = script.empty() ? 2 : 0;
  });
  CLI::App* manual = app.add_subcommand("manual", "Print a manual page");
  auto name = std::make_shared<std::string>();
  auto folder = std::make_shared<std::string>();
  manual->add_option("COMMAND", *name, "Of this command");
  manual->add_option("--write", *folder, "Write all pages to this folder")->type_name("FOLDER");
  manual->callback([&app, &status, name, folder] {
    status = folder->empty() ? print_page(app, *name) : write_pages(app, *folder);
  });
}

}  // namespace dagaz::driver
