// Rewrites the expected values of test blocks in a program's text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dagaz::driver {

/// What is to stand in a file's text from `begin` to `end`.
struct Rewrite {
  std::size_t begin;
  std::size_t end;
  std::string text;
};

/// The values of a result in the binary format as a test block has them between braces, with types
/// only where `old`, the values there so far, has types or they say something.
std::string expectation_text(const std::string& result, const std::string& old);

/// Writes `text` with the changes to the file; what is wrong, or nothing.  Equal changes of one
/// place are one; different ones are a mistake, and so is a file that has another text by now.
std::string rewrite_file(const std::string& path, const std::string& text,
                         std::vector<Rewrite> changes);

}  // namespace dagaz::driver
