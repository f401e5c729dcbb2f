// Every form of the grammar is accepted, printed as text that parses to the same tree, and every
// mistake gives one diagnostic at the smallest place.
#include <doctest/doctest.h>

#include <string>

#include "syntax/ast_print.h"
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
  const Parsed parsed(
      "-- | The file.\n\n-- | f.\ndef f [n] 't (x: [n]t) : t = x[0]\ntype^ t 'a = {x: a}\n");
  CHECK_MESSAGE(parsed.diagnostics.all().empty(), parsed.messages());
  CHECK(parsed.file.declarations.size() == 2);
}

TEST_CASE("a syntax error says what was expected") {
  CHECK(first_error("def f = ") ==
        ": Unexpected end of file; expected an expression");
  CHECK(first_error("def f = 1..2") == "..: use '...' for ranges, not '..'");
}

TEST_CASE("parsing goes on at the next declaration") {
  const auto places = [](const std::string& text) {
    const Parsed parsed(text);
    std::string all;
    for (const Diagnostic& d : parsed.diagnostics.all()) {
      all += (all.empty() ? "" : " ") + std::string(parsed.sources.text(d.range));
    }
    return all;
  };
  CHECK(places("def f = )\ndef g = 1\ndef h = ]\n") == ") ]");
  CHECK(places("def f x =\n  let y = 1\ndef g = ]\n") == "def ]");
  CHECK(places("def f = (\nlet y = 1\nin y) )\ndef g = ]\n") == ") ]");
  CHECK(places("module m = {\n  def f = )\n  def g = 1\n}\ndef h = ]\n") == ") ]");
  CHECK(places("module type s = {\n  val )\n  type t\n  val x : t\n}\ntype t = ]") == ") ]");
  CHECK(places("def f = \"\n-- | g\n#[a]\ndef g = {\n") == "\" ");
}

TEST_CASE("the end of the file is behind its last token") {
  const Parsed parsed("def f =\n\n-- no more\n");
  CHECK(parsed.messages() ==
        "test.fut:1:8: error[syntax]: Unexpected end of file; expected an expression\n"
        "   1 | def f =\n"
        "     |        ^\n");
}

TEST_CASE("every mistake is at the smallest place") {
  CHECK(first_error("def f = 'ab") .find("Unexpected") != std::string::npos);
  CHECK(first_error("def f = \"ab\nc\"") == "\"ab: this string is not closed on its line");
  CHECK(first_error("def f = \"\\q\"") ==
        "\"\\q\": this string has an unknown escape or is not valid UTF-8");
  CHECK(first_error("def f = $") == "$: the character `$` has no meaning here");
  CHECK(first_error("def f = a[1] [2]") ==
        "a[1] [2]: Incorrect syntax for multi-dimensional indexing");
  CHECK(first_error("def f = x.(1) + (g y).(2)") ==
        "(g y): only a module or a function with a name can stand before `.(`");
  CHECK(first_error("def f = let x = 1\ndef g = 2") == "def: Unexpected \"def\" - missing \"in\"?");
  CHECK(first_error("def f = 1 + -- | doc\n 2").find("only permitted before declarations") !=
        std::string::npos);
  CHECK(first_error("def f = (a + b *)") ==
        "*: this operator binds tighter than one to its left");
  CHECK(first_error("def M.f = 1").starts_with(".: Unexpected token"));
}

TEST_CASE("operators bind as tightly as their longest built-in prefix") {
  const auto shape = [](const std::string& text) {
    Parsed parsed("def f = " + text);
    REQUIRE_MESSAGE(parsed.diagnostics.all().empty(), parsed.messages());
    std::string printed = ast::print(*parsed.file.declarations[0], parsed.names);
    return printed.substr(printed.find('\n') + 3);
  };
  CHECK(shape("a + b * c - d") == "(a + (b * c)) - d");
  CHECK(shape("a ** b ** c") == "(a ** b) ** c");
  CHECK(shape("f <| g <| x") == "f <| (g <| x)");
  CHECK(shape("a |> f || b && c") == "a |> (f || (b && c))");
  CHECK(shape("a +^ b *^ c") == "a +^ (b *^ c)");
  CHECK(shape("a >>> b + c") == "a >>> (b + c)");
  CHECK(shape("x |> f with [0] = y + z") == "(x |> f) with [0] = (y + z)");
  CHECK(shape("-x % y") == "(-x) % y");
  CHECK(shape("a..b + 1...c |> d") == "a..(b + 1)...(c |> d)");
  CHECK(shape("a .+ b .* c") == "a .+ (b .* c)");
  CHECK(shape("f a `g` b + c") == "(f a) `g` (b + c)");
}

TEST_CASE("literals have their values") {
  const auto integer = [](const std::string& text) {
    SourceFiles sources;
    NameTable names;
    Diagnostics diagnostics;
    ast::Arena arena;
    const FileId id = sources.add("test.fut", text);
    const ast::Exp* exp = syntax::parse_expression(id, {sources, arena, names, diagnostics});
    REQUIRE(exp != nullptr);
    return std::get<ast::IntegerLiteral>(exp->node).value;
  };
  CHECK(integer("0rMCMXLIV") == 1944);
  CHECK(integer("0xFF_ffu16") == 65535);
  CHECK(integer("0b1_01") == 5);
  CHECK(integer("18446744073709551615u64") == 18446744073709551615u);
  CHECK(integer("'\\n'") == 10);
  CHECK(integer("'ä'") == 228);
  CHECK(integer("'\\200'") == 200);
}

TEST_CASE("long chains are no deep nesting") {
  std::string lets = "def f = ";
  std::string sum = "0";
  for (int i = 0; i < 20000; ++i) {
    lets += "let x = 1 in ";
    sum += " + 1";
  }
  CHECK(Parsed(lets + sum).diagnostics.all().empty());
}

TEST_CASE("deep nesting is an error and no crash") {
  const std::string open(100000, '(');
  CHECK(first_error("def f = " + open + "1" + std::string(100000, ')')).find("too deeply") !=
        std::string::npos);
}
