// Uniqueness: what may be used, consumed and returned.  The standard library keeps its promises.
#include <doctest/doctest.h>

#include <string>

#include "check/check.h"
#include "check/consumption_checker.h"
#include "check/exhaustiveness.h"
#include "syntax/children.h"
#include "syntax/imports.h"

namespace {

using namespace dagaz;

// The kinds of the diagnostics that are errors, in their order, separated by spaces.
std::string errors(const std::string& text) {
  SourceFiles sources;
  NameTable names;
  Diagnostics diagnostics;
  ast::Program program =
      syntax::parse_program_text("test.fut", text, sources, names, diagnostics);
  if (!diagnostics.has_errors()) check::check_program(program, names, diagnostics);
  std::string kinds;
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    if (kind_severity(diagnostic.kind) != Severity::error) continue;
    if (!kinds.empty()) kinds += ' ';
    kinds += kind_name(diagnostic.kind);
  }
  return kinds;
}

}  // namespace

TEST_CASE("the standard library consumes nothing that is not its own") {
  SourceFiles sources;
  NameTable names;
  Diagnostics diagnostics;
  ast::Program program = syntax::parse_program_text(
      "test.fut", "module d = import \"derivatives\"", sources, names, diagnostics);
  const check::CheckedProgram checked = check::check_program(program, names, diagnostics);
  REQUIRE(!diagnostics.has_errors());
  check::ConsumptionChecker checker(checked, names, diagnostics);
  for (const ast::File& file : program.files) {
    ast::for_each_value(file.declarations,
                        [&](const ast::ValueDeclaration& value, const ast::Declaration&) {
                          checker.definition(value);
                          check::check_exhaustiveness(value.function, names, diagnostics);
                        });
  }
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    CAPTURE(render(diagnostic, sources, RenderStyle::plain));
    CHECK(kind_severity(diagnostic.kind) == Severity::warning);
  }
}

TEST_CASE("an array that was updated in place is gone, and so are its aliases") {
  CHECK(errors("def f (a: *[]i32) = let b = a with [0] = 1 in b") == "");
  CHECK(errors("def f (a: *[]i32) = let b = a with [0] = 1 in b[0] + a[0]") ==
        "use-after-consume");
  CHECK(errors("def f (a: *[]i32) = let c = a[1:] let b = a with [0] = 1 in (b[0], c)") ==
        "use-after-consume");
  CHECK(errors("def f (a: *[]i32) = let c = copy a let b = a with [0] = 1 in (b[0], c)") == "");
  CHECK(errors("def f (a: *[]i32) (c: bool) =\n"
               "  let x = if c then (a with [0] = 1)[0] else 2 in x + a[0]") ==
        "use-after-consume");
}

TEST_CASE("only what belongs to the function can be consumed") {
  CHECK(errors("def f (a: []i32) = a with [0] = 1") == "not-consumable");
  CHECK(errors("def k = [1, 2, 3]\ndef f (x: i32) = k with [0] = x") == "not-consumable");
  CHECK(errors("def f (a: *[]i32) = map (\\i -> (a with [0] = i)[0]) [1, 2]") ==
        "not-consumable");
  CHECK(errors("def f n = (iota n) with [0] = 1") == "");
}

TEST_CASE("a function that promises a unique result keeps the promise") {
  CHECK(errors("def f (a: []i32) : *[]i32 = a") == "return-aliased");
  CHECK(errors("def f (a: []i32) : *[]i32 = copy a") == "");
  CHECK(errors("def f (a: *[]i32) : (*[]i32, *[]i32) = (a, a)") == "unique-return-aliased");
  CHECK(errors("def k = [1, 2]\ndef f (x: i32) : []i32 = k") == "alias-free-variable");
}

TEST_CASE("without an annotation a result is as unique as it can be") {
  CHECK(errors("def f (n: i64) = map (+ 1) (iota n)\ndef g n = f n with [0] = 1") == "");
  CHECK(errors("def f (a: []i32) = a\ndef g (a: []i32) = f a with [0] = 1") == "not-consumable");
  CHECK(errors("def f (a: []i32) = (a, copy a)\n"
               "def g (a: []i32) = let (_, b) = f a in b with [0] = 1") == "");
}

TEST_CASE("arguments that are consumed share memory with no others") {
  const std::string f = "def f (a: *[]i32) (b: []i32) : i32 = (a with [0] = 1)[0] + b[0]\n";
  // Arguments are evaluated from the right.
  CHECK(errors(f + "def g (a: *[]i32) = f a (copy a)") == "");
  CHECK(errors(f + "def g (a: *[]i32) (b: []i32) = f a b") == "");
  CHECK(errors(f + "def g (a: *[]i32) = f a a").find("consumed-argument-aliased") !=
        std::string::npos);
  CHECK(errors("def f (p: *([]i32, []i32)) = p.0[0]\ndef g (a: *[]i32) = f (a, a)") ==
        "self-aliasing-arg");
}

TEST_CASE("loops consume the initial values of what their bodies consume") {
  CHECK(errors("def f (a: *[]i32) = loop a for i < 3 do a with [i] = 1") == "");
  CHECK(errors("def f (a: []i32) = loop a for i < 3 do a with [i] = 1") == "not-consumable");
  CHECK(errors("def f (a: *[]i32) =\n"
               "  let b = loop x = a for i < 3 do x with [i] = 1 in b[0] + a[0]") ==
        "use-after-consume");
  CHECK(errors("def f (a: *[]i32) (b: []i32) =\n"
               "  loop x = a for _i < 3 do let y = x with [0] = 1 in b") ==
        "consuming-loop-param-aliases");
  CHECK(errors("def f (a: *[]i32) (b: *[]i32) =\n"
               "  loop (x, y) = (a, b) for _i < 3 do let z = x with [0] = 1 in (z, z)") ==
        "loop-parameter-aliases-other");
}

TEST_CASE("what a loop's body returns decides whether a parameter with a `*` is consumed") {
  const auto loop = [](const std::string& body) {
    return "def f (a: []i32) =\n  loop (x: *[]i32) = a while length x > 2 do " + body;
  };
  CHECK(errors(loop("copy x[1:]")) == "not-consumable");
  CHECK(errors(loop("x[1:]")) == "not-consumable");
  CHECK(errors(loop("let y = copy x in y[1:]")) == "");
  CHECK(errors(loop("let y = x with [0] = 1 let z = copy y in z[1:]")) == "not-consumable");
}

TEST_CASE("a rotated array is a new one") {
  CHECK(errors("def f (a: []i32) : *[]i32 = rotate 1 a") == "");
}

TEST_CASE("the fields of a record are consumed apart") {
  CHECK(errors("def f (a: *[]i32) (b: *[]i32) =\n"
               "  let r = {a, b} let c = r.a with [0] = 1 in (c, 1)") == "");
  CHECK(errors("def f (r: *{a: []i32, b: []i32}) = r with a = [1, 2]") == "");
}

TEST_CASE("constants cannot be consumed, unless each use makes them anew") {
  const std::string consume = "def consume (xs: *[]i64) = xs\n";
  CHECK(errors(consume + "def empty : [0]i64 = []\ndef f = consume empty") == "not-consumable");
  CHECK(errors(consume + "def empty = []\ndef f = consume empty") == "not-consumable");
  CHECK(errors(consume + "def zeros [n] : [n]i64 = replicate n 0\n"
                         "def f (m: i64) = consume (zeros : [m]i64)") == "");
}

TEST_CASE("a `*` in the argument of a type is ignored") {
  CHECK(errors("type some 't = #some t\ndef constant : some (*[]i32) = #some [1]") == "");
}
