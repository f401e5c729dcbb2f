// The function by which a program asks how many threads fill the device that it runs on.  Lowering
// replaces its calls by the device's answer; its body is the interpreter's.
#pragma once

#include <string_view>
#include <vector>

#include "ir/program.h"

namespace dagaz::ir {

/// Its name.
inline constexpr std::string_view device_threads_function = "resident_threads'";

/// The question.
Operation ask_device_threads();
/// Adds the function that it calls, unless it is there.
void declare_device_threads(std::vector<Function>& functions);

}  // namespace dagaz::ir
