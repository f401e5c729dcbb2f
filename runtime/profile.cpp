// Collecting events and writing the JSON report.
#include "profile.h"

#include <chrono>
#include <cstdio>
#include <utility>

#include "memory_pool.h"

namespace dagaz::runtime {

void Profile::add(std::string name, std::string position, double microseconds,
                  std::string details) {
  const std::lock_guard lock(mutex_);
  events_.push_back(
      {std::move(name), std::move(position), microseconds, nullptr, std::move(details)});
}

void Profile::add_pending(std::string name, std::string position,
                          std::function<double()> duration) {
  const std::lock_guard lock(mutex_);
  events_.push_back({std::move(name), std::move(position), 0, std::move(duration), "{}"});
}

void Profile::clear() {
  const std::lock_guard lock(mutex_);
  events_.clear();
}

std::string Profile::report(const MemoryStatistics& memory) {
  const std::lock_guard lock(mutex_);
  std::string text = "{\"memory\":{\"device\":" + std::to_string(memory.peak) + "},\"events\":[";
  const char* separator = "";
  for (const Event& event : events_) {
    const double duration = event.pending ? event.pending() : event.microseconds;
    char number[64];
    std::snprintf(number, sizeof number, "%.3f", duration);
    text += separator;
    text += "{\"name\":" + json_string(event.name) + ",\"provenance\":" +
            json_string(event.position) + ",\"duration\":" + number +
            ",\"details\":" + event.details + "}";
    separator = ",";
  }
  events_.clear();
  return text + "]}";
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
