// The parts of a file test.
//
//   -- One sentence: what must hold.
//   -- run: --passes=simplify,fuse [--target=gpu]
//   the program
//   -- expect
//   -- the expected text, a comment per line
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace dagaz::tests {

struct TestFile {
  std::string path;
  std::string text;                 // the whole file
  std::vector<std::string> passes;  // of the `run` line
  bool gpu = false;                 // whether that says `--target=gpu`
  std::string expected;
  std::size_t expect_at = 0;        // where the `-- expect` line starts; the end if there is none
};

/// Reads a test; nothing if the file cannot be read.
std::optional<TestFile> read_test(const std::string& path);
/// Rewrites the expectation of the file; whether that worked.
bool write_expectation(const TestFile& test, const std::string& expected);

}  // namespace dagaz::tests
