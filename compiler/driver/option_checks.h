// Checks of options' values.  The text of messages is ours: that of CLI11 changes from version to
// version.
#pragma once

#include <CLI/CLI.hpp>
#include <iomanip>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "support/spelling.h"

namespace dagaz::driver {

template <typename T>
std::string written(T value) {
  std::ostringstream out;
  out << std::setprecision(9) << value;
  return out.str();
}

template <typename T>
CLI::Validator is_between(T low, T high) {
  const std::string range = written(low) + " to " + written(high);
  const auto check = [low, high, range](const std::string& text) {
    std::istringstream in(text);
    T value;
    const bool is_number = in >> value && in.peek() == std::istringstream::traits_type::eof();
    return is_number && low <= value && value <= high
               ? std::string()
               : "`" + text + "` is not a number from " + range;
  };
  return CLI::Validator(check, range);
}

inline const std::map<std::string, std::string> no_other_words;

// The spellings of a choice, for help texts: {cpu,cuda,…}.
template <typename T>
std::string choices(const std::map<std::string, T>& table) {
  std::string out = "{";
  for (const auto& [name, value] : table) out += (out.size() > 1 ? "," : "") + name;
  return out + "}";
}

// `meant` says of some words that are not in the table what there is instead.
template <typename T>
CLI::Validator is_one_of(const std::map<std::string, T>& table,
                         const std::map<std::string, std::string>& meant = no_other_words) {
  return CLI::Validator(
      [&table, &meant](const std::string& text) {
        if (table.count(text) > 0) return std::string();
        std::vector<std::string> names;
        for (const auto& [name, value] : table) names.push_back(name);
        const auto known = meant.find(text);
        return "`" + text + "` is not one of " + choices(table) +
               (known != meant.end() ? "; " + known->second : did_you_mean(text, names));
      },
      choices(table));
}

template <typename T>
CLI::Option* add_choice(CLI::App& app, const std::string& flag, T& value,
                        const std::map<std::string, T>& table, const std::string& help,
                        const std::map<std::string, std::string>& meant = no_other_words) {
  return app
      .add_option_function<std::string>(
          flag, [&value, &table](const std::string& text) { value = table.at(text); }, help)
      ->check(is_one_of(table, meant));
}

}  // namespace dagaz::driver
