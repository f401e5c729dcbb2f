// The functions by which a program asks how many threads fill the device that it runs on, how many
// bytes of shared memory its blocks have, as guards count them, and whether threads of a CPU would
// meet inside of so many independent iterations, or have some each.  Lowering replaces their calls
// by the device's answers; their bodies are the interpreter's.
#pragma once

#include <string_view>

#include "ir/program.h"

namespace dagaz::ir {

/// Their names.
inline constexpr std::string_view device_threads_function = "resident_threads'";
inline constexpr std::string_view block_bytes_function = "block_bytes'";
inline constexpr std::string_view threads_meet_function = "threads_meet'";

/// The questions.
Operation ask_device_threads();
Operation ask_block_bytes();
Operation ask_whether_threads_meet(Operand iterations);
/// Adds the functions that they call, where something asks and they are not there.
void declare_device_questions(Program& program);

}  // namespace dagaz::ir
