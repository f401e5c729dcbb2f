// A printed file parses again, to a tree that prints the same.  Runs over the standard library,
// and over all .fut files below the folder that DAGAZ_PROGRAMS names, if it is set.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "syntax/ast_print.h"
#include "syntax/imports.h"
#include "syntax/parse.h"

namespace {

using namespace dagaz;

struct Printed {
  bool parsed = false;
  std::string text;
  std::string messages;
};

Printed print_parsed(const std::string& text) {
  SourceFiles sources;
  NameTable names;
  Diagnostics diagnostics;
  ast::Arena arena;
  const FileId id = sources.add("test.fut", text);
  const ast::File file = syntax::parse_file(id, {sources, arena, names, diagnostics});
  Printed result{!diagnostics.has_errors(), ast::print(file, names), ""};
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    result.messages += render(diagnostic, sources, RenderStyle::plain);
  }
  return result;
}

void check_round_trip(const std::string& name, const std::string& text) {
  CAPTURE(name);
  const Printed first = print_parsed(text);
  if (!first.parsed) return;
  const Printed second = print_parsed(first.text);
  REQUIRE_MESSAGE(second.parsed, second.messages);
  CHECK(first.text == second.text);
}

}  // namespace

TEST_CASE("the standard library survives printing") {
  for (const syntax::LibraryFile& file : syntax::standard_library()) {
    CHECK(print_parsed(std::string(file.text)).parsed);
    check_round_trip(std::string(file.name), std::string(file.text));
  }
}

TEST_CASE("forms with delicate parentheses survive printing") {
  for (const char* text : {
           "def f = -(-x) - (-1)",
           "def f = a with [i].f[j] = b with g = c |> h",
           "def f = (r).x + r.x + M.N.x + r.0.1 + (f x).y[i, 1:2:(-1)]",
           "def f = (#foo) 1 == #foo 1 2 && (#bar)",
           "def f = a[1] ([2])",
           "def f = (xs .+ ys .* 2, (.+), (.- x), (x .<), f.(x, y))",
           "def f = match x case (#a (-1) y) -> match y case _ -> 1 case z -> 2",
           "def f = \\x (y: i32) : ([n]i32) -> if a then b else if c then d else e : i32",
           "def f = loop (a, {b, c = d}) for i < n do (a, {b, c = d})",
           "def f = (x `g` y, (`g` y), (x `M.g`), (M.+ 1), (- x), (-), (x -))",
           "def f = \"a\\\"\\\\\\n\\1272\\&3\\x41 ä\" ++ ['a', '\\n', '\\'', 'ä']",
           "def f = [0rXLII, 0xFFu8, 0b1_0i64, 1_0, 0x1.8p3f32, 1e3, 2.50f16, 1e400]",
           "def f (x: (#a ([n]i32) t | #b)) : ?[k].*[k](t -> (u -> v)) = ???",
           "type^ t [n] 'a = m.t [n] (f a) (*a -> ?[k].[k]a)",
           "module type s = (P: {type t val (+) : t -> t}) -> (q with t 'a = a) -> r",
           "module m = (\\(P: s) : (r) -> {open P}) : t",
           "#[a(1, b(), c)] entry f = #[d] g (#[e] x)",
           "-- | only the file's\ndef f = 1",
       }) {
    REQUIRE_MESSAGE(print_parsed(text).parsed, print_parsed(text).messages);
    check_round_trip(text, text);
  }
}

TEST_CASE("programs survive printing") {
  const char* folder = std::getenv("DAGAZ_PROGRAMS");
  if (folder == nullptr) return;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".fut") continue;
    check_round_trip(entry.path().string(), *syntax::read_file(entry.path().string()));
  }
}
