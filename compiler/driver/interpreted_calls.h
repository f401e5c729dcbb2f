// Calls that the interpreter makes, of entry points of one program, which it reads once.  Asked of
// its process is `ENTRY BYTES` and the arguments, answered `STATUS BYTES BYTES`, results and errors.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/conversation.h"
#include "driver/options.h"
#include "driver/process.h"
#include "driver/program_in_memory.h"

namespace dagaz::driver {

/// Starts the process for the program of `file`, with `arguments` of `dagaz run` for each call.
std::vector<std::string> interpreter_command(const CompileOptions& options,
                                             const std::string& file,
                                             const std::vector<std::string>& arguments);
/// One call; nothing if the conversation broke off.
std::optional<CallResult> ask_interpreter(Conversation& process, const std::string& entry,
                                          const std::string& arguments);

/// The process, started when it is first asked, and again after it was lost.
class InterpretedCalls {
 public:
  /// What the process itself complains of goes to `error_file`.
  InterpretedCalls(std::vector<std::string> command, std::string error_file)
      : command_(std::move(command)), error_file_(std::move(error_file)) {}

  /// As a process of its own would do it; results are in the binary format.
  ProcessResult call(const std::string& entry, const std::string& arguments,
                     double timeout_seconds);

 private:
  std::vector<std::string> command_;
  std::string error_file_;
  std::unique_ptr<Conversation> process_;
};

/// The argument of `dagaz run --target=interpreter` that asks for the following.
inline constexpr std::string_view serve_calls_flag = "--serve-calls";
/// The interpreter's side: interprets calls of the program's entry points until the input ends.
int serve_interpreted_calls(const CompileOptions& options,
                            const std::vector<std::string>& arguments);

}  // namespace dagaz::driver
