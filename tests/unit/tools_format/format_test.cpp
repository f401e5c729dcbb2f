// What the layout is, in small, and that formatting a second time changes nothing.
#include <doctest/doctest.h>

#include <optional>
#include <string>

#include "syntax/imports.h"
#include "tools/format/format.h"

namespace {

using namespace dagaz;

std::string formatted(const std::string& text) {
  SourceFiles sources;
  Diagnostics diagnostics;
  const FileId file = sources.add("test.fut", text);
  const std::optional<std::string> result = tools::format(file, sources, diagnostics);
  std::string messages;
  for (const Diagnostic& d : diagnostics.all()) messages += render(d, sources, RenderStyle::plain);
  CAPTURE(messages);
  REQUIRE(result.has_value());
  return *result;
}

void check_layout(const std::string& written, const std::string& expected) {
  CHECK(formatted(written) == expected);
  CHECK(formatted(expected) == expected);
}

TEST_CASE("what is written on one line stays on one") {
  check_layout("def  f x=let y=x+1 in  if y>2 then(y,{a=1,b})else g[1,2:3] x.1\n",
               "def f x = let y = x + 1 in if y > 2 then (y, {a = 1, b}) else g[1, 2:3] x.1\n");
}

TEST_CASE("commas without an element are left out") {
  check_layout("def x = (1, 2, , 3,)\n", "def x = (1, 2, 3)\n");
}

TEST_CASE("documentation behind code stays with what follows") {
  check_layout("def f x =\n  x + 1 -- | One.\n  -- Two.\ndef g x = x\n",
               "def f x =\n  x + 1\n\n-- | One.\n-- Two.\ndef g x = x\n");
}

TEST_CASE("parameters of modules stand on lines if one of them begins a line") {
  check_layout("module m (P:\ns) = {}\n", "module m (P: s) = {}\n");
  check_layout("module m (P: s)\n (Q: s) = {}\n", "module m\n  (P: s)\n  (Q: s) = {}\n");
  check_layout("module m\n (P: {type t\n type u}) = {}\n",
               "module m\n  (P: {\n    type t\n    type u\n  }) = {}\n");
}

TEST_CASE("paths of updates keep their dots") {
  check_layout("def f c d = c with [d]t = 1\n", "def f c d = c with [d]t = 1\n");
  check_layout("def f c = c with .a.b [0] = 1\n", "def f c = c with .a.b[0] = 1\n");
  check_layout("def f c = (c with a  b = 1, (.[0].b))\n", "def f c = (c with a b = 1, (.[0].b))\n");
  check_layout("def f c = c with [0] 0  .1 = 1\n", "def f c = c with [0]0 .1 = 1\n");
  check_layout("def f c = let c[0].a=1 in c\n", "def f c = let c[0].a = 1 in c\n");
}

TEST_CASE("what is written on several lines gets the layout for several") {
  check_layout("def f x = if x\n then 1 else 2\n", "def f x =\n  if x\n  then 1\n  else 2\n");
  check_layout("def f = [1,\n 2]\n", "def f =\n  [ 1\n  , 2\n  ]\n");
  check_layout("def f = map (\\x -> x\n + 1) xs\n",
               "def f =\n  map (\\x ->\n         x\n         + 1)\n      xs\n");
}

TEST_CASE("a comment behind a binding stays there") {
  check_layout("def f =\n  let x = 1 -- one\n  -- two\n  let y = 2\n\n  -- sum\n  in x + y\n",
               "def f =\n  let x = 1 -- one\n  -- two\n  let y = 2\n  -- sum\n  in x + y\n");
}

TEST_CASE("blank lines between bindings stay") {
  check_layout("def f =\n  let x = 1\n\n\n  let y = 2\n  in y\n",
               "def f =\n  let x = 1\n\n  let y = 2\n  in y\n");
}

TEST_CASE("a comment behind a declaration does not become one before the next") {
  check_layout("def x = 1 -- x\ndef y = 2\n", "def x = 1 -- x\ndef y = 2\n");
  check_layout("def x = 1 -- x\ndef f =\n  2\n", "def x = 1\n\n-- x\n\ndef f =\n  2\n");
}

TEST_CASE("a comment before a comma stays on its line") {
  check_layout("def f = { a = 1 -- one\n, b = 2 -- two\n}\n",
               "def f =\n  { a = 1 -- one\n  , b = 2 -- two\n  }\n");
}

TEST_CASE("signs, sections and backticks keep their tokens apart") {
  check_layout("def f = (- -x, ! !y, (.+ 1), (2 .*), (`g` 3), a `M.g` b, (.a[1].b), 1..3...9)\n",
               "def f = (- -x, ! !y, (.+ 1), (2 .*), (`g` 3), a `M.g` b, (.a[1].b), 1..3...9)\n");
}

TEST_CASE("tokens that would be another one together keep a space") {
  check_layout("def f ' a' (x: * * t) = 1 . 2\n", "def f ' a' (x: * *t) = 1 .2\n");
  check_layout("module type s = {val + : t -> t val (-) : t}\n",
               "module type s = {val + : t -> t val (-) : t}\n");
}

TEST_CASE("attributes stand on lines of their own") {
  check_layout("#[noinline] def f = 1\nmodule type t = { #[a(b,1)] val f : i32 }\n",
               "#[noinline]\ndef f = 1\n\n"
               "module type t = {\n  #[a(b, 1)]\n  val f : i32\n}\n");
}

TEST_CASE("windows line ends and a byte order mark are no text") {
  check_layout("\xef\xbb\xbf" "def f = -- x\r\n  1\r\n", "def f = -- x\n  1\n");
}

TEST_CASE("a text with a mistake is not formatted") {
  SourceFiles sources;
  Diagnostics diagnostics;
  const FileId file = sources.add("test.fut", "def f = (1");
  CHECK(!tools::format(file, sources, diagnostics).has_value());
  CHECK(diagnostics.error_count() == 1);
}

TEST_CASE("the standard library is formatted") {
  for (const syntax::LibraryFile& library : syntax::standard_library()) {
    CAPTURE(library.name);
    CHECK(formatted(std::string(library.text)) == library.text);
  }
}

}  // namespace
