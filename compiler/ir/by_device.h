// The function by which a program takes one of two numbers, for a CPU or for a GPU.  A pass
// replaces its calls; its body, which gives the number for a CPU, is the interpreter's.
#pragma once

#include <string_view>

namespace dagaz::ir {

/// Its name; its arguments are the numbers for a CPU and for a GPU.
inline constexpr std::string_view by_device_function = "by_device'";

}  // namespace dagaz::ir
