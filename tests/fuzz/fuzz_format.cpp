// Formatting random programs: what is formatted has the same tree, and formatting it again changes
// nothing.  That it keeps tokens and comments the formatter checks itself.
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "fuzz_driver.h"
#include "support/check.h"
#include "syntax/ast_print.h"
#include "syntax/parse.h"
#include "tools/format/format.h"

using namespace dagaz;

namespace {

void require(bool condition, const char* what, const std::string& input,
             const std::string& output) {
  if (condition) return;
  std::fprintf(stderr, "%s, for this input:\n%s\nformatted:\n%s\n", what, input.c_str(),
               output.c_str());
  std::abort();
}

std::optional<std::string> formatted(const std::string& text) {
  SourceFiles sources;
  Diagnostics diagnostics;
  const std::string what = "formatting:\n" + text;
  const Doing doing(what);
  return tools::format(sources.add("input.fut", text), sources, diagnostics);
}

// The tree as text; the keyword of a value, which formatting may change, is `def`.
std::string tree(const std::string& text) {
  SourceFiles sources;
  NameTable names;
  Diagnostics diagnostics;
  ast::Arena arena;
  const FileId id = sources.add("input.fut", text);
  ast::File file = syntax::parse_file(id, {sources, arena, names, diagnostics});
  std::string printed = ast::print(file, names);
  for (std::size_t at = 0; (at = printed.find("let ", at)) != std::string::npos;) {
    printed.replace(at, 3, "def");
  }
  return printed;
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string input(reinterpret_cast<const char*>(data), size);
  const std::optional<std::string> once = formatted(input);
  if (!once) return 0;
  require(tree(*once) == tree(input), "another tree", input, *once);
  const std::optional<std::string> twice = formatted(*once);
  require(twice == once, "it changes again", input, *once + "\nagain:\n" + twice.value_or(""));
  return 0;
}
