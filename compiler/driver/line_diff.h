// What changed between two texts, as `diff -u` prints it.
#pragma once

#include <string>
#include <string_view>

namespace dagaz::driver {

/// Empty if the texts are the same.
std::string line_diff(std::string_view name, std::string_view before, std::string_view after);

}  // namespace dagaz::driver
