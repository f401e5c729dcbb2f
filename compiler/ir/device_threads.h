// The function by which a program asks how many threads fill the device that it runs on.  Lowering
// replaces its calls by the device's answer; its body is the interpreter's.
#pragma once

#include <string_view>

#include "ir/program.h"

namespace dagaz::ir {

/// Its name.
inline constexpr std::string_view device_threads_function = "resident_threads'";

/// The question.
Operation ask_device_threads();
/// Adds the function that it calls, where something asks and it is not there.
void declare_device_threads(Program& program);

}  // namespace dagaz::ir
