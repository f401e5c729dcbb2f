// Every form of the grammar is accepted, printed as text that parses to the same tree, and every
// mistake gives one diagnostic at the smallest place.
#include <doctest/doctest.h>

#include <string>

#include "syntax/parse.h"

namespace {

using namespace dagaz;

struct Parsed {
  SourceFiles sources;
  NameTable names;
  Diagnostics diagnostics;
  ast::Arena arena;
  ast::File file;

  explicit Parsed(const std::string& text) {
    const FileId id = sources.add("test.fut", text);
    file = syntax::parse_file(id, {sources, arena, names, diagnostics});
  }
  std::string messages() const {
    std::string all;
    for (const Diagnostic& diagnostic : diagnostics.all()) {
      all += render(diagnostic, sources, RenderStyle::plain);
    }
    return all;
  }
};

std::string first_error(const std::string& text) {
  const Parsed parsed(text);
  if (parsed.diagnostics.all().empty()) return "";
  const Diagnostic& first = parsed.diagnostics.all().front();
  return std::string(parsed.sources.text(first.range)) + ": " + first.message;
}

}  // namespace

TEST_CASE("declarations of every kind are accepted") {
  const Parsed parsed("-- | The file.\n\n-- | f.\ndef f [n] 't (x: [n]t) : t = x[0]\ntype^ t 'a = {x: a}\n");
  CHECK_MESSAGE(parsed.diagnostics.all().empty(), parsed.messages());
  CHECK(parsed.file.declarations.size() == 2);
}

TEST_CASE("a syntax error says what was expected") {
  CHECK(first_error("def f = ") ==
        ": Unexpected end of file; expected an expression");
  CHECK(first_error("def f = 1..2") == "..: use '...' for ranges, not '..'");
}

TEST_CASE("deep nesting is an error and no crash") {
  const std::string open(100000, '(');
  CHECK(first_error("def f = " + open + "1" + std::string(100000, ')')).find("too deeply") !=
        std::string::npos);
}
