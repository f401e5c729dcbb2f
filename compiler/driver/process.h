// Child processes: compiled programs, the C compiler, and the compiler itself.
#pragma once

#include <stop_token>
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

/// Runs `command` (found on PATH) with `input` on stdin and waits; asks it to end, with what it has
/// started, when it is to stop.
ProcessResult run_process(const std::vector<std::string>& command, const std::string& input,
                          double timeout_seconds, const std::stop_token& stop = {});

/// The path of this executable.
std::string own_executable();

/// A folder that disappears with this object.  What a process that was killed left behind, the next
/// one removes.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int lock_ = -1;  // of a file in it, for as long as the folder is in use
};

/// Lets a signal that ends the process remove its temporary folders first.  To be called before
/// there are other threads.
void remove_folders_when_interrupted();

}  // namespace dagaz::driver
