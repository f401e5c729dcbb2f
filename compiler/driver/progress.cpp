#include "driver/progress.h"

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace dagaz::driver {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double usual_delay = 2;  // seconds
constexpr std::chrono::milliseconds between_lines(500);

/// Of the compilation of this thread; null where nothing is shown.
thread_local Progress* current = nullptr;

/// Seconds; negative: never.
double delay() {
  const char* text = std::getenv("DAGAZ_PROGRESS");
  if (text == nullptr) return usual_delay;
  char* end = nullptr;
  const double seconds = std::strtod(text, &end);
  return end != text && *end == '\0' && std::isfinite(seconds) && seconds < 1e6 ? seconds : -1;
}

}  // namespace

Progress::Progress(std::string what) : what_(std::move(what)) {
  if (isatty(STDERR_FILENO) == 0 || delay() < 0 || current != nullptr) return;
  current = this;
  shows_ = std::thread([this] { show(); });
}

Progress::~Progress() {
  if (!shows_.joinable()) return;
  current = nullptr;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_one();
  shows_.join();
}

void Progress::phase(std::string_view name) {
  if (current == nullptr) return;
  {
    const std::lock_guard lock(current->mutex_);
    current->phase_ = name;
    current->phase_is_new_ = true;
  }
  current->changed_.notify_one();
}

void Progress::show() {
  const Clock::time_point start = Clock::now();
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::duration<double>(delay()), [this] { return ends_; });
  bool shown = false;
  while (!ends_) {
    const std::chrono::duration<double> passed = Clock::now() - start;
    std::fprintf(stderr, "\r\x1b[K%s: %s, %.0f s", what_.c_str(), phase_.c_str(), passed.count());
    std::fflush(stderr);
    shown = true;
    phase_is_new_ = false;
    changed_.wait_for(lock, between_lines, [this] { return ends_ || phase_is_new_; });
  }
  if (shown) std::fputs("\r\x1b[K", stderr);
}

}  // namespace dagaz::driver
