// Calls of entry points, thousands of them in one process that stays: a server made of the program,
// which keeps its context, or the interpreter.  Values lie outside of it between calls, as arrays.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/arrays.h"
#include "driver/conversation.h"
#include "driver/options.h"
#include "ir/program.h"

namespace dagaz::driver {

/// A value of a type of ir::ExternalType.
using Leaves = std::vector<data::Array>;

/// How a call ended.
struct Answer {
  enum class Kind {
    value,
    program_error,  // `message` is the program's, line by line
    lost,           // the process ended or did not answer in time; `message` says which
  };
  Kind kind = Kind::lost;
  Leaves value = {};
  std::vector<std::string> message = {};
};

class EntryCalls {
 public:
  /// Runs `command`, a server of `program`; files for values go to `folder`.
  static std::unique_ptr<EntryCalls> of_server(const ir::Program& program,
                                               std::vector<std::string> command,
                                               std::string folder);
  /// Interprets the program of `file`, with `arguments` of `dagaz run` for each call.
  static std::unique_ptr<EntryCalls> of_interpreter(const CompileOptions& options,
                                                    const std::string& file, std::string folder,
                                                    const std::vector<std::string>& arguments);
  virtual ~EntryCalls() = default;

  /// Calls; after `lost` the next call begins with a new process.
  Answer call(const ir::EntryPoint& entry, const std::vector<Leaves>& inputs);
  /// Until when all calls have to answer.
  void set_deadline(Conversation::Clock::time_point deadline) { deadline_ = deadline; }

 protected:
  EntryCalls(std::vector<std::string> command, std::string folder)
      : command_(std::move(command)), folder_(std::move(folder)) {}

  /// Nothing if the conversation broke off.
  virtual std::optional<Answer> ask(Conversation& process, const ir::EntryPoint& entry,
                                    const std::vector<Leaves>& inputs) = 0;
  /// What the process says before it is asked; false if it ends instead.
  virtual bool greet(Conversation& process) = 0;
  const std::string& folder() const { return folder_; }

 private:
  std::vector<std::string> command_;
  std::string folder_;
  std::unique_ptr<Conversation> process_;
  Conversation::Clock::time_point deadline_ = Conversation::Clock::time_point::max();
};

}  // namespace dagaz::driver
