// Child processes: compiled programs, the C compiler, and the compiler itself.
#pragma once

#include <string>
#include <vector>

namespace dagaz::driver {

struct ProcessResult {
  /// Exit status, or 128 + signal number; 127 if the program could not be started.
  int status = 0;
  bool timed_out = false;
  std::string output;
  std::string errors;
};

/// Runs `command` (found on PATH) with `input` on stdin and waits.
ProcessResult run_process(const std::vector<std::string>& command, const std::string& input,
                          double timeout_seconds);

/// The path of this executable.
std::string own_executable();

/// A folder that disappears with this object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace dagaz::driver
