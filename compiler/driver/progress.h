// What a build that takes long is doing: a line on the terminal, gone when the build ends.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace dagaz::driver {

/// From two seconds after its making (DAGAZ_PROGRESS says after how many) until its end, a terminal
/// on standard error shows `what` and the phase that began last.  Elsewhere it does nothing.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Of the compilation that this thread has begun to show.
  static void phase(std::string_view name);

 private:
  void show();

  const std::string what_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string phase_;
  bool phase_is_new_ = false;
  bool ends_ = false;
  std::thread shows_;
};

}  // namespace dagaz::driver
