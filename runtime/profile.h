// Named events with their source positions and durations, and their report as JSON in the shape
// that the peer's profiling tools read: {"memory": …, "events": [{"name", "provenance",
// "duration" in µs, "details"}]}.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace dagaz::runtime {

struct MemoryStatistics;

class Profile {
 public:
  explicit Profile(bool enabled) : enabled_(enabled) {}

  bool active() const { return enabled_ && !paused_; }
  void pause() { paused_ = true; }
  void resume() { paused_ = false; }

  /// An event of known duration in microseconds; `details` is a JSON object.
  void add(std::string name, std::string position, double microseconds,
           std::string details = "{}");
  /// An event whose duration the device knows only later; asked for when the report is made.
  void add_pending(std::string name, std::string position, std::function<double()> duration);

  /// Forgets all events; those that hold resources of a device must not outlive it.
  void clear();
  /// The report; the events are forgotten.
  std::string report(const MemoryStatistics& memory);

 private:
  struct Event {
    std::string name;
    std::string position;
    double microseconds;
    std::function<double()> pending;
    std::string details = "{}";
  };
  const bool enabled_;
  std::atomic<bool> paused_{false};
  std::mutex mutex_;
  std::vector<Event> events_;
};

/// `text` as a JSON string with its quotes.
std::string json_string(const std::string& text);

/// A clock for durations, in microseconds.
double now_microseconds();

}  // namespace dagaz::runtime
