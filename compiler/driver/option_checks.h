// Checks of options' values.  The text of messages is ours: that of CLI11 changes from version to
// version.
#pragma once

#include <CLI/CLI.hpp>
#include <iomanip>
#include <sstream>
#include <string>

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

}  // namespace dagaz::driver
