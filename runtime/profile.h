// What took how long: events in order, and for each parallel loop and kernel, by its place in the
// source, all its runs together.  Reports are JSON in the shape that the peer's profiling tools
// read,
//   {"memory": …, "events": [{"name", "provenance", "duration" in µs, "details"}],
//    "places": [{"place", "name", "count", "microseconds", "bytes", "share"}]}
// or a table of the places for people.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dagaz::runtime {

struct Launch;
struct MemoryStatistics;

/// What a simulated kernel asks of memory, in bytes, as a GPU's counters would say it.
struct KernelTraffic {
  int64_t l1 = 0;      // asked of L1 caches
  int64_t l2 = 0;      // asked of the L2 cache
  int64_t memory = 0;  // asked of memory
  double memory_microseconds = 0;  // for the last at least, by an estimate
};

enum class ReportFormat { table, json };

class Profile {
 public:
  explicit Profile(bool enabled) : enabled_(enabled) {}

  bool active() const { return enabled_ && !paused_; }
  void pause() { paused_ = true; }
  void resume() { paused_ = false; }

  /// Something else than a loop or kernel; `details` is a JSON object.
  void add(std::string name, double microseconds, std::string details);
  /// A call of an entry point; the shares of places are of all calls.
  void add_call(const std::string& entry, double microseconds);
  /// A run of the parallel loop at `position`, which touches so many bytes of its arrays.
  void add_loop(const char* position, double microseconds, int64_t bytes);
  /// A run of a simulated kernel.
  void add_kernel(const Launch& launch, double microseconds, const KernelTraffic& traffic,
                  std::string details);
  /// A run of a kernel whose duration is known only later; asked for when the report is made.
  void add_kernel(const Launch& launch, std::function<double()> duration);

  /// Forgets everything; events that hold resources of a device must not outlive it.
  void clear();
  /// The report; what it says is forgotten.
  std::string report(const MemoryStatistics& memory, ReportFormat format);

 private:
  struct Event {
    std::string name;
    std::string position;
    double microseconds;
    std::function<double()> pending = nullptr;
    std::string details = "{}";
    int64_t bytes = 0;
    bool is_kernel = false;
    std::optional<KernelTraffic> traffic = std::nullopt;
  };
  struct Runs {
    int64_t count = 0;
    double microseconds = 0;
    int64_t bytes = 0;
    std::optional<KernelTraffic> traffic = std::nullopt;

    void add(double more_microseconds, int64_t more_bytes);
    void add(const KernelTraffic& more);
  };
  using Place = std::pair<std::string, std::string>;  // position, name
  using Row = std::pair<Place, Runs>;

  std::vector<Row> rows() const;
  double total(const std::vector<Row>& rows) const;
  std::string json(const std::vector<Row>& rows, const MemoryStatistics& memory) const;
  std::string table(const std::vector<Row>& rows, const MemoryStatistics& memory) const;
  static std::string traffic_table(const std::vector<Row>& rows);

  const bool enabled_;
  std::atomic<bool> paused_{false};
  std::mutex mutex_;
  std::vector<Event> events_;
  std::map<Place, Runs> loops_;
  double in_calls_ = 0;  // microseconds
};

/// `text` as a JSON string with its quotes.
std::string json_string(const std::string& text);

/// A clock for durations, in microseconds.
double now_microseconds();

}  // namespace dagaz::runtime
