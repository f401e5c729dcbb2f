// The attributes and their order are those of the schema that Jenkins publishes
// (jenkins-junit.xsd), which other readers accept too.
#include "driver/junit.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>

namespace dagaz::driver {

namespace {

// The bytes of the character at `at`, which is to be well-formed UTF-8; 0 if it is not, or none
// that XML may have.
std::size_t character_bytes(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  if (first < 0x80) return first >= 0x20 || first == '\n' || first == '\t' ? 1 : 0;
  const std::size_t count = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || at + count > text.size()) return 0;
  for (std::size_t i = 1; i < count; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return 0;
  }
  const bool is_surrogate = first == 0xed && byte(at + 1) >= 0xa0;
  return is_surrogate ? 0 : count;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t count = character_bytes(text, at);
    switch (text[at]) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      case '\n': out += "&#10;"; break;
      default: out += count == 0 ? "?" : text.substr(at, count);
    }
    at += std::max<std::size_t>(count, 1);
  }
  return out;
}

std::string attribute(const std::string& name, const std::string& value) {
  return " " + name + "=\"" + escaped(value) + "\"";
}

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6f", seconds);
  return text;
}

std::string time_text(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  return text;
}

struct Totals {
  std::size_t tests = 0;
  std::size_t failures = 0;
  std::size_t skipped = 0;
  double seconds = 0;

  void add(const ProgramResult& result) {
    for (const CaseResult& test : result.cases) {
      ++tests;
      failures += test.outcome == Outcome::failed ? 1 : 0;
      skipped += test.outcome == Outcome::skipped ? 1 : 0;
    }
    seconds += result.seconds;
  }
  std::string attributes() const {
    return attribute("tests", std::to_string(tests)) +
           attribute("failures", std::to_string(failures)) + attribute("errors", "0") +
           attribute("time", seconds_text(seconds));
  }
};

// The name that readers group by: folders and file, with dots, without the ending.
std::string class_name(std::string path) {
  if (path.starts_with("./")) path.erase(0, 2);
  if (path.ends_with(".fut")) path.resize(path.size() - 4);
  std::replace(path.begin(), path.end(), '/', '.');
  return path;
}

std::string case_text(const std::string& group, const CaseResult& test) {
  std::string out = "    <testcase" + attribute("classname", group) +
                    attribute("name", test.name) + attribute("time", seconds_text(test.seconds));
  // What is said first is the message, all of it the text.
  const std::size_t begin = std::min(test.detail.find_first_not_of('\n'), test.detail.size());
  const std::string detail = test.detail.substr(begin);
  const std::string message = attribute("message", detail.substr(0, detail.find('\n')));
  switch (test.outcome) {
    case Outcome::passed:
    case Outcome::updated: return out + "/>\n";
    case Outcome::skipped: return out + "><skipped" + message + "/></testcase>\n";
    case Outcome::failed: break;
  }
  return out + ">\n      <failure" + message + attribute("type", "failure") + ">" +
         escaped(detail) + "</failure>\n    </testcase>\n";
}

}  // namespace

bool write_junit(const std::string& path, const std::vector<ProgramResult>& results,
                 std::chrono::system_clock::time_point start) {
  std::ofstream out(path);
  Totals all;
  for (const ProgramResult& result : results) all.add(result);
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites"
      << attribute("name", "dagaz test") << all.attributes() << ">\n";
  for (const ProgramResult& result : results) {
    Totals own;
    own.add(result);
    out << "  <testsuite" << attribute("name", result.path) << own.attributes()
        << attribute("skipped", std::to_string(own.skipped))
        << attribute("timestamp", time_text(start)) << ">\n";
    for (const CaseResult& test : result.cases) out << case_text(class_name(result.path), test);
    out << "  </testsuite>\n";
  }
  out << "</testsuites>\n";
  out.close();
  return static_cast<bool>(out);
}

}  // namespace dagaz::driver
