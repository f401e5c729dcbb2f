// Collecting events and runs, and writing reports.
#include "profile.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "device.h"
#include "memory_pool.h"

namespace dagaz::runtime {

namespace {

constexpr const char* loop_name = "parallel loop";

template <typename... Numbers>
std::string formatted(const char* format, Numbers... numbers) {
  char text[128];
  std::snprintf(text, sizeof text, format, numbers...);
  return text;
}

/// A number with a unit of its size, the last where that ends.
std::string with_unit(double value, std::initializer_list<const char*> units) {
  auto unit = units.begin();
  while (value >= 1000 && unit + 1 != units.end()) {
    value /= 1000;
    ++unit;
  }
  return formatted("%.1f %s", value, *unit);
}

std::string as_time(double microseconds) { return with_unit(microseconds, {"us", "ms", "s"}); }

std::string as_bytes(double bytes) { return with_unit(bytes, {"B", "KB", "MB", "GB", "TB"}); }

/// A line of the table; `rest` comes behind the columns of numbers.
std::string line(const std::string& share, const std::string& time, const std::string& count,
                 const std::string& touched, const std::string& rate, const std::string& rest) {
  return formatted("%8s  %10s  %8s  %10s  %12s  ", share.c_str(), time.c_str(), count.c_str(),
                   touched.c_str(), rate.c_str()) +
         rest + "\n";
}

double share_of(double part, double whole) { return whole > 0 ? part / whole : 0; }

std::string event_json(const std::string& name, const std::string& position, double microseconds,
                       const std::string& details) {
  return "{\"name\":" + json_string(name) + ",\"provenance\":" + json_string(position) +
         ",\"duration\":" + formatted("%.3f", microseconds) + ",\"details\":" + details + "}";
}

}  // namespace

void Profile::Runs::add(double more_microseconds, int64_t more_bytes) {
  ++count;
  microseconds += more_microseconds;
  bytes += more_bytes;
}

void Profile::Runs::add(const KernelTraffic& more) {
  const KernelTraffic sum = traffic.value_or(KernelTraffic{});
  traffic = {sum.l1 + more.l1, sum.l2 + more.l2, sum.memory + more.memory,
             sum.memory_microseconds + more.memory_microseconds};
}

void Profile::add(std::string name, double microseconds, std::string details) {
  const std::lock_guard lock(mutex_);
  events_.push_back({std::move(name), "", microseconds, nullptr, std::move(details)});
}

void Profile::add_call(const std::string& entry, double microseconds) {
  add("entry " + entry, microseconds, "{}");
  const std::lock_guard lock(mutex_);
  in_calls_ += microseconds;
}

void Profile::add_loop(const char* position, double microseconds, int64_t bytes) {
  const std::lock_guard lock(mutex_);
  loops_[{position, loop_name}].add(microseconds, bytes);
}

void Profile::add_kernel(const Launch& launch, double microseconds, const KernelTraffic& traffic,
                         std::string details) {
  const std::lock_guard lock(mutex_);
  events_.push_back({launch.kernel->name, launch.position, microseconds, nullptr,
                     std::move(details), launch.moved, true, traffic});
}

void Profile::add_kernel(const Launch& launch, std::function<double()> duration) {
  const std::lock_guard lock(mutex_);
  events_.push_back(
      {launch.kernel->name, launch.position, 0, std::move(duration), "{}", launch.moved, true});
}

void Profile::clear() {
  const std::lock_guard lock(mutex_);
  events_.clear();
  loops_.clear();
  in_calls_ = 0;
}

/// What took longest first.
std::vector<Profile::Row> Profile::rows() const {
  std::map<Place, Runs> places = loops_;
  for (const Event& event : events_) {
    if (event.is_kernel) {
      Runs& runs = places[{event.position, event.name}];
      runs.add(event.microseconds, event.bytes);
      if (event.traffic) {
        runs.add(*event.traffic);
      }
    }
  }
  std::vector<Row> rows(places.begin(), places.end());
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return a.second.microseconds > b.second.microseconds;
  });
  return rows;
}

/// A call may come back before its kernels have run.
double Profile::total(const std::vector<Row>& rows) const {
  double sum = 0;
  for (const Row& row : rows) {
    sum += row.second.microseconds;
  }
  return std::max(sum, in_calls_);
}

std::string Profile::json(const std::vector<Row>& rows, const MemoryStatistics& memory) const {
  std::string text = "{\"memory\":{\"device\":" + std::to_string(memory.peak) + "},\"events\":[";
  const char* separator = "";
  const auto add_event = [&](const std::string& event) {
    text += separator + event;
    separator = ",";
  };
  for (const Event& event : events_) {
    add_event(event_json(event.name, event.position, event.microseconds, event.details));
  }
  for (const auto& [place, runs] : loops_) {
    add_event(event_json(place.second, place.first, runs.microseconds,
                         "{\"count\":" + std::to_string(runs.count) + "}"));
  }
  text += "],\"places\":[";
  separator = "";
  for (const auto& [place, runs] : rows) {
    text += separator;
    text += "{\"place\":" + json_string(place.first) + ",\"name\":" + json_string(place.second) +
            ",\"count\":" + std::to_string(runs.count) +
            ",\"microseconds\":" + formatted("%.3f", runs.microseconds) +
            ",\"bytes\":" + std::to_string(runs.bytes) +
            ",\"share\":" + formatted("%.4f", share_of(runs.microseconds, total(rows))) + "}";
    separator = ",";
  }
  return text + "]}";
}

std::string Profile::table(const std::vector<Row>& rows, const MemoryStatistics& memory) const {
  const double whole = total(rows);
  const auto percent = [&](double microseconds) {
    return formatted("%.1f %%", 100 * share_of(microseconds, whole));
  };
  std::string text = line("share", "time", "count", "touched", "rate", "where");
  double elsewhere = whole;
  for (const auto& [place, runs] : rows) {
    elsewhere -= runs.microseconds;
    const auto bytes = static_cast<double>(runs.bytes);
    const double per_second = share_of(bytes * 1e6, runs.microseconds);
    text += line(percent(runs.microseconds), as_time(runs.microseconds),
                 std::to_string(runs.count), as_bytes(bytes), as_bytes(per_second) + "/s",
                 (place.first.empty() ? "?" : place.first) + "  " + place.second);
  }
  text += line(percent(elsewhere), as_time(elsewhere), "", "", "", "elsewhere");
  return text +
         line("", as_time(whole), "", "", "",
              "in all; at most " + as_bytes(static_cast<double>(memory.peak)) + " of memory") +
         traffic_table(rows);
}

/// What simulated kernels ask of memory; nothing where there are none.
std::string Profile::traffic_table(const std::vector<Row>& rows) {
  std::string text;
  for (const auto& [place, runs] : rows) {
    if (runs.traffic) {
      const auto bytes = [](int64_t count) { return as_bytes(static_cast<double>(count)); };
      text += line(bytes(runs.traffic->l1), bytes(runs.traffic->l2), std::to_string(runs.count),
                   bytes(runs.traffic->memory), as_time(runs.traffic->memory_microseconds),
                   (place.first.empty() ? "?" : place.first) + "  " + place.second);
    }
  }
  const std::string head = line("of L1", "of L2", "count", "of memory", "estimated", "where");
  return text.empty() ? text : head + text;
}

std::string Profile::report(const MemoryStatistics& memory, ReportFormat format) {
  std::string text;
  {
    const std::lock_guard lock(mutex_);
    for (Event& event : events_) {
      if (event.pending) {
        event.microseconds = event.pending();
      }
    }
    const std::vector<Row> all = rows();
    text = format == ReportFormat::json ? json(all, memory) : table(all, memory);
  }
  clear();
  return text;
}

std::string json_string(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      out += escape;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

double now_microseconds() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double, std::micro>(Clock::now().time_since_epoch()).count();
}

}  // namespace dagaz::runtime
