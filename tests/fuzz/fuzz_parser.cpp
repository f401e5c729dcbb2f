// Source text from arbitrary bytes: parsing never crashes, every diagnostic lies inside the file,
// a file without diagnostics has no error, and what is parsed prints as text that parses to the
// same tree.
#include <cstdio>
#include <cstdlib>

#include "fuzz_driver.h"
#include "syntax/ast_print.h"
#include "syntax/parse.h"

using namespace dagaz;

namespace {

struct Parsed {
  bool ok = false;
  std::string printed;
};

void require(bool condition, const char* what, std::string_view input) {
  if (condition) return;
  std::fprintf(stderr, "%s, for this input:\n", what);
  std::fwrite(input.data(), 1, input.size(), stderr);
  std::fprintf(stderr, "\n");
  std::abort();
}

Parsed parse(std::string_view text) {
  SourceFiles sources;
  NameTable names;
  Diagnostics diagnostics;
  ast::Arena arena;
  const FileId id = sources.add("input.fut", std::string(text));
  const ast::File file = syntax::parse_file(id, {sources, arena, names, diagnostics});
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    const Range& range = diagnostic.range;
    require(range.file == id && range.begin <= range.end && range.end <= text.size(),
            "a diagnostic outside of the file", text);
    require(!render(diagnostic, sources, RenderStyle::plain).empty(), "an empty diagnostic", text);
  }
  return {!diagnostics.has_errors(), ast::print(file, names)};
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const Parsed first = parse(input);
  if (!first.ok) return 0;
  const Parsed second = parse(first.printed);
  if (!second.ok) std::fprintf(stderr, "printed:\n%s\n", first.printed.c_str());
  require(second.ok, "printed text does not parse", input);
  if (second.printed != first.printed) {
    std::fprintf(stderr, "first:\n%s\nsecond:\n%s\n", first.printed.c_str(),
                 second.printed.c_str());
  }
  require(second.printed == first.printed, "printed text is another tree", input);
  return 0;
}
