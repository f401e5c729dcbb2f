// The `-- ==` blocks of a .fut file: what its tests are.  The format is the peer's, so that its
// programs serve as they are.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dagaz::driver {

enum class InputKind { literal, file, random, script, script_file };
enum class Expectation {
  success,      // must finish
  values,       // `output { … }`
  values_file,  // `output @ file`
  automatic,    // `auto output`: what the interpreter computes
  error         // must end with a run-time error that matches
};

/// One input with what is expected of it.
struct TestCase {
  std::string name;
  std::vector<std::string> tags;
  InputKind input_kind = InputKind::literal;
  std::string input;  // values, types, a script or a file name
  Expectation expectation = Expectation::success;
  std::string expected;  // values, a file name or a regular expression
  // Where values stand in the file's text, between the braces.
  std::size_t expected_begin = 0;
  std::size_t expected_end = 0;
  int line = 0;
};

/// The cases of one block, which hold for each of `entries`.
struct TestBlock {
  std::vector<std::string> entries;
  std::vector<TestCase> cases;
  int first_line = 0;
};

struct TestSpec {
  std::vector<std::string> tags;
  bool must_be_rejected = false;
  std::string rejection;               // regular expression for the diagnostics
  std::vector<TestBlock> blocks;
  std::vector<std::string> properties;  // entry points
  std::vector<std::string> warnings;   // regular expressions
  bool any = false;                    // whether there was a block at all
};

struct SpecError {
  int line;
  std::string message;
};

/// Reads the blocks of a file's text; on a malformed block returns nothing and sets `error`.
/// With `line`, only the block around that line.
std::optional<TestSpec> parse_test_spec(std::string_view text, SpecError& error,
                                        std::optional<int> line = std::nullopt);

}  // namespace dagaz::driver
