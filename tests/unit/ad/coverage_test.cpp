// The table of README.md here: every test that it names exists, and every rule has a row.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> cells(const std::string& row) {
  std::vector<std::string> result;
  std::istringstream parts(row.substr(2));
  for (std::string cell; std::getline(parts, cell, '|');) {
    const auto end = cell.find_last_not_of(' ');
    const auto begin = cell.find_first_not_of(' ');
    if (begin != std::string::npos) result.push_back(cell.substr(begin, end - begin + 1));
  }
  return result;
}

std::vector<std::vector<std::string>> rows() {
  std::vector<std::vector<std::string>> result;
  std::istringstream table(text_of("tests/unit/ad/README.md"));
  for (std::string line; std::getline(table, line);) {
    if (line.starts_with("| ") && !line.starts_with("| rule ")) result.push_back(cells(line));
  }
  return result;
}

// Whether a file has the test case, or checks the entry point, of this name.
bool has_test(const std::string& file, const std::string& name) {
  const std::string text = text_of("tests/" + file);
  if (!file.ends_with(".fut")) return text.find("TEST_CASE(\"" + name + "\")") != std::string::npos;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("-- entry:") && (line + " ").find(" " + name + " ") != std::string::npos) {
      return true;
    }
  }
  return false;
}

}  // namespace

TEST_CASE("every rule of differentiation has the tests that the table names") {
  REQUIRE(rows().size() > 30);
  for (const auto& row : rows()) {
    REQUIRE(row.size() == 4);
    CAPTURE(row[0]);
    CAPTURE(row[3]);
    CHECK(has_test(row[2], row[3]));
  }
}

TEST_CASE("every file of rules is in the table of tests") {
  for (const auto& entry : std::filesystem::directory_iterator("compiler/passes/ad/rules")) {
    const std::string file = entry.path().filename().string();
    if (entry.path().extension() != ".cpp") continue;
    CAPTURE(file);
    bool listed = false;
    for (const auto& row : rows()) {
      listed = listed || (" " + row[1] + ",").find(" " + file + ",") != std::string::npos;
    }
    CHECK(listed);
  }
}
