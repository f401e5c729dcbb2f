#include "driver/interpreted_calls.h"

#include <iostream>
#include <sstream>

#include "driver/compile_flags.h"
#include "driver/test_input.h"

namespace dagaz::driver {

std::vector<std::string> interpreter_command(const CompileOptions& options,
                                             const std::string& file,
                                             const std::vector<std::string>& arguments) {
  std::vector<std::string> command{own_executable(), "run", file};
  for (std::string& flag : compile_flags(options)) command.push_back(std::move(flag));
  command.insert(command.end(), {"-w", std::string(serve_calls_flag)});
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

std::optional<CallResult> ask_interpreter(Conversation& process, const std::string& entry,
                                          const std::string& arguments) {
  if (!process.say(entry + " " + std::to_string(arguments.size()) + "\n" + arguments)) {
    return std::nullopt;
  }
  const auto head = process.line();
  if (!head) return std::nullopt;
  std::istringstream in(*head);
  int status = 0;
  std::size_t result_bytes = 0;
  std::size_t error_bytes = 0;
  in >> status >> result_bytes >> error_bytes;
  auto results = process.bytes(result_bytes);
  auto errors = process.bytes(error_bytes);
  if (!results || !errors) return std::nullopt;
  return CallResult{status, std::move(*results), std::move(*errors)};
}

ProcessResult InterpretedCalls::call(const std::string& entry, const std::string& arguments,
                                     double timeout_seconds) {
  if (process_ == nullptr) process_ = std::make_unique<Conversation>(command_, error_file_);
  process_->set_deadline(Conversation::Clock::now() +
                         std::chrono::duration_cast<Conversation::Clock::duration>(
                             std::chrono::duration<double>(timeout_seconds)));
  if (auto made = ask_interpreter(*process_, entry, arguments)) {
    return {made->status, false, std::move(made->output), std::move(made->errors)};
  }
  const bool timed_out = process_->timed_out();
  const int status = process_->end();
  process_.reset();
  return {status, timed_out, "", read_file(error_file_).value_or("")};
}

int serve_interpreted_calls(const CompileOptions& options,
                            const std::vector<std::string>& arguments) {
  return with_program(options, arguments, [](const ProgramInMemory& program) {
    std::string entry;
    std::size_t size = 0;
    for (std::string line; std::getline(std::cin, line);) {
      std::istringstream(line) >> entry >> size;
      std::string values(size, '\0');
      std::cin.read(values.data(), static_cast<std::streamsize>(size));
      const CallResult result = program.call(entry, values);
      std::cout << result.status << " " << result.output.size() << " " << result.errors.size()
                << "\n"
                << result.output << result.errors << std::flush;
    }
    return 0;
  });
}

}  // namespace dagaz::driver
