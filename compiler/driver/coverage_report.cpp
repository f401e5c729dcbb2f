#include "driver/coverage_report.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "driver/test_input.h"
#include "support/markup.h"

namespace dagaz::driver {

namespace {

namespace fs = std::filesystem;

struct Share {
  int lines = 0;
  int executed = 0;

  void add(const std::map<int, int64_t>& counts) {
    for (const auto& [line, count] : counts) {
      ++lines;
      executed += count > 0 ? 1 : 0;
    }
  }
  std::string percent() const {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f %%", lines == 0 ? 100.0 : 100.0 * executed / lines);
    return text;
  }
};

// The form is described in geninfo(1).
std::string lcov(const LineCounts& counts) {
  std::ostringstream out;
  for (const auto& [file, lines] : counts) {
    Share share;
    share.add(lines);
    std::error_code error;
    const fs::path path = fs::absolute(file, error);
    out << "TN:\nSF:" << (error ? file : path.lexically_normal().string()) << "\n";
    for (const auto& [line, count] : lines) out << "DA:" << line << "," << count << "\n";
    out << "LF:" << share.lines << "\nLH:" << share.executed << "\nend_of_record\n";
  }
  return out.str();
}

constexpr const char* page_begin = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Coverage</title>
<style>
:root { color-scheme: light dark; --text: #1f2328; --page: #fff; --faint: #656d76;
  --line: #d0d7de; --hit: #dafbe1; --miss: #ffebe9; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --page: #0d1117;
  --faint: #8d96a0; --line: #30363d; --hit: #12341e; --miss: #4a1b1d; } }
body { margin: 2em auto; max-width: 70em; padding: 0 1em; color: var(--text);
  background: var(--page); font: 15px/1.5 system-ui, sans-serif; }
a { color: inherit; }
table { border-collapse: collapse; }
.files td, .files th { padding: .2em 1em; border-bottom: 1px solid var(--line); text-align: left; }
.files td + td, .files th + th { text-align: right; }
.source { width: 100%; font: 13px/1.45 ui-monospace, monospace; tab-size: 2; }
.source td { padding: 0 .6em; white-space: pre; }
.source td:nth-child(-n+2) { color: var(--faint); text-align: right; user-select: none; }
.source td:last-child { width: 100%; }
.hit td:last-child { background: var(--hit); }
.miss td:last-child { background: var(--miss); }
.scroll { overflow-x: auto; }
</style>
</head>
<body>
<h1>Coverage</h1>
)";

std::string file_section(const std::string& file, const std::map<int, int64_t>& counts,
                         std::size_t number) {
  std::ostringstream out;
  out << "<h2 id=\"file" << number << "\">" << escape_markup(file)
      << "</h2>\n<div class=\"scroll\"><table class=\"source\">\n";
  std::istringstream source(read_file(file).value_or(""));
  int line = 0;
  for (std::string text; std::getline(source, text);) {
    const auto found = counts.find(++line);
    const bool counted = found != counts.end();
    out << "<tr" << (!counted ? "" : found->second > 0 ? " class=\"hit\"" : " class=\"miss\"")
        << "><td>" << line << "</td><td>" << (counted ? std::to_string(found->second) : "")
        << "</td><td>" << escape_markup(text) << "</td></tr>\n";
  }
  out << "</table></div>\n";
  return out.str();
}

std::string page(const LineCounts& counts) {
  std::ostringstream out;
  out << page_begin << "<p>" << coverage_summary(counts)
      << " executed by tests. A line is counted that begins an expression, each time the "
         "expression is evaluated.</p>\n<table class=\"files\">\n"
         "<tr><th>File</th><th>Lines</th><th>Executed</th><th>Share</th></tr>\n";
  std::size_t number = 0;
  for (const auto& [file, lines] : counts) {
    Share share;
    share.add(lines);
    out << "<tr><td><a href=\"#file" << number++ << "\">" << escape_markup(file) << "</a></td><td>"
        << share.lines << "</td><td>" << share.executed << "</td><td>" << share.percent()
        << "</td></tr>\n";
  }
  out << "</table>\n";
  number = 0;
  for (const auto& [file, lines] : counts) out << file_section(file, lines, number++);
  out << "</body>\n</html>\n";
  return out.str();
}

bool write_file(const fs::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  return static_cast<bool>(out);
}

}  // namespace

std::string write_coverage(const std::string& folder, const LineCounts& counts) {
  std::error_code error;
  fs::create_directories(folder, error);
  const bool done = !error && write_file(fs::path(folder) / "lcov.info", lcov(counts)) &&
                    write_file(fs::path(folder) / "index.html", page(counts));
  return done ? "" : "cannot write to `" + folder + "`";
}

std::string coverage_summary(const LineCounts& counts) {
  Share all;
  for (const auto& [file, lines] : counts) all.add(lines);
  return std::to_string(all.executed) + " of " + std::to_string(all.lines) + " lines (" +
         all.percent() + ")";
}

}  // namespace dagaz::driver
