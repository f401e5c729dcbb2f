// A child process that is asked and answers, many times.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace dagaz::driver {

class Conversation {
 public:
  using Clock = std::chrono::steady_clock;

  /// Starts `command`, whose standard error goes to the file.
  Conversation(const std::vector<std::string>& command, const std::string& error_file);
  /// Kills what still runs.
  ~Conversation();
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  /// Until when it has to answer.
  void set_deadline(Clock::time_point deadline) { deadline_ = deadline; }
  bool timed_out() const { return timed_out_; }

  /// False if nobody reads.
  bool say(std::string_view text);
  /// Up to the next line end, which is left out; nothing at the end of the output or too late.
  std::optional<std::string> line();
  /// So many bytes; nothing if there are fewer.
  std::optional<std::string> bytes(std::size_t count);

  /// Kills the process; its exit status, or 128 + signal number.
  int end();

 private:
  bool wait_for(int file, short event);
  bool receive();

  pid_t child_ = -1;
  int to_child_ = -1;
  int from_child_ = -1;
  std::string received_;
  Clock::time_point deadline_ = Clock::time_point::max();
  bool timed_out_ = false;
  bool at_end_ = false;
  int status_ = 127;
};

}  // namespace dagaz::driver
