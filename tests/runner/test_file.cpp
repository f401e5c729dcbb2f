// Reading file tests, and rewriting their expectations.
#include "runner/test_file.h"

#include <fstream>
#include <sstream>

namespace dagaz::tests {

namespace {

const std::string expect_line = "-- expect\n";
const std::string passes_option = "--passes=";

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

void read_directive(TestFile& test, const std::string& line) {
  const std::string run = "-- run:";
  if (line.compare(0, run.size(), run) != 0) return;
  const std::size_t at = line.find(passes_option);
  if (at == std::string::npos) return;
  const std::size_t begin = at + passes_option.size();
  test.passes = split(line.substr(begin, line.find(' ', begin) - begin), ',');
  test.gpu = line.find("--target=gpu") != std::string::npos;
}

}  // namespace

std::optional<TestFile> read_test(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::ostringstream content;
  content << in.rdbuf();
  TestFile test;
  test.path = path;
  test.text = content.str();
  test.expect_at = test.text.size();
  std::size_t at = 0;
  bool expecting = false;
  for (const std::string& line : split(test.text, '\n')) {
    if (expecting) {
      // An empty line of the expected text is a comment without text.
      test.expected += line.size() > 3 ? line.substr(3) + "\n" : "\n";
    } else if (line + "\n" == expect_line) {
      expecting = true;
      test.expect_at = at;
    } else {
      read_directive(test, line);
    }
    at += line.size() + 1;
  }
  return test;
}

bool write_expectation(const TestFile& test, const std::string& expected) {
  std::string text = test.text.substr(0, test.expect_at);
  if (!text.empty() && text.back() != '\n') text += '\n';
  text += expect_line;
  for (const std::string& line : split(expected, '\n')) {
    text += line.empty() ? "--\n" : "-- " + line + "\n";
  }
  std::ofstream out(test.path, std::ios::binary);
  out << text;
  return out.good();
}

}  // namespace dagaz::tests
