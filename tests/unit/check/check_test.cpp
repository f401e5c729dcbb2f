// What the checker accepts, what it rejects with which kind of diagnostic, and the types it finds.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "check/check.h"
#include "check/context.h"
#include "check/print_type.h"
#include "syntax/imports.h"
#include "verify_slots.h"

namespace {

using namespace dagaz;

struct Checked {
  SourceFiles sources;
  NameTable names;
  Diagnostics diagnostics;
  ast::Program program;
  check::CheckedProgram result;

  explicit Checked(const std::string& text) {
    program = syntax::parse_program_text("test.fut", text, sources, names, diagnostics);
    if (!diagnostics.has_errors()) result = check::check_program(program, names, diagnostics);
  }

  std::string messages() const {
    std::string all;
    for (const Diagnostic& d : diagnostics.all()) {
      all += render(d, sources, RenderStyle::plain);
    }
    return all;
  }
  /// The names of the kinds of all errors.
  std::string errors() const {
    std::string all;
    for (const Diagnostic& d : diagnostics.all()) {
      if (kind_severity(d.kind) != Severity::error) continue;
      all += (all.empty() ? "" : " ") + std::string(kind_name(d.kind));
    }
    return all;
  }
  bool warns(DiagnosticKind kind) const {
    return std::any_of(diagnostics.all().begin(), diagnostics.all().end(),
                       [&](const Diagnostic& d) { return d.kind == kind; });
  }
};

/// The errors in `text`; for a program without any, the slots are verified.
std::string errors(const std::string& text) {
  const Checked checked(text);
  if (!checked.diagnostics.has_errors()) {
    for (const std::string& problem :
         check::verify_slots(checked.result, checked.names, checked.sources)) {
      MESSAGE(problem);
      return problem;
    }
  }
  return checked.errors();
}

/// The printed scheme of the last definition of `text`.
std::string type_of_last(const std::string& text) {
  Checked checked(text);
  if (checked.diagnostics.has_errors()) return checked.messages();
  const auto& value =
      std::get<ast::ValueDeclaration>(checked.program.files.back().declarations.back()->node);
  check::Context context(checked.program, checked.names, checked.diagnostics, checked.result);
  for (std::size_t i = 0; i < value.scheme->type_parameters.size(); ++i) {
    const TypeNameId id = value.scheme->type_parameters[i];
    check::TypeNameInfo info;
    info.name = checked.names.intern(std::string(1, static_cast<char>('a' + i)));
    context.type_names.cover(id);
    context.type_names[id] = info;
  }
  return check::print_scheme(context, *value.scheme);
}

}  // namespace

TEST_CASE("types are inferred and generalised at the top level") {
  CHECK(type_of_last("def f x = x + 1i64") == "i64 -> i64");
  CHECK(type_of_last("def f x y = (y, x)") == "'a 'b. a -> b -> (b, a)");
  CHECK(type_of_last("def f a b = a + b") == "i32 -> i32 -> i32");
  CHECK(type_of_last("def f a b = a * b + 0.5") == "f64 -> f64 -> f64");
  CHECK(type_of_last("def f g x = g (g x)") == "'a. (a -> a) -> a -> a");
  CHECK(type_of_last("def f (r: {a: i32, b: bool}) = r.a") == "{a: i32, b: bool} -> i32");
  CHECK(type_of_last("def f = \\(x: i32) -> #some x : #none | #some i32") != "");
  CHECK(errors("def f x = x.a") == "ambiguous-type");
  CHECK(errors("def f r = (r.a, r : {a: i32, b: f32})") == "");
  CHECK(errors("def f (x: i32) : f32 = x") == "type-mismatch");
  CHECK(errors("def f (x: i32) = x + 1f32") == "type-mismatch");
  CHECK(errors("def f = y") == "unknown-name");
}

TEST_CASE("one mistake gives one message") {
  CHECK(errors("def f = y\ndef g = f + 1\ndef h = g + f") == "unknown-name");
  CHECK(errors("def f (x: i32) = let y = x + true in y + y * y") == "type-mismatch");
  CHECK(errors("def f (x: foo) = x\ndef g = f 1") == "unknown-name");
  CHECK(errors("module m = {def x = y}\ndef g = m.x + m.x") == "unknown-name");
}

TEST_CASE("a wrong type does not hide wrong sizes beside it") {
  const std::string head = "def f [n] [m] (xs: [n]f64) (ys: [m]f64) = ";
  CHECK(errors(head + "let a = 1i32 + true let b = map2 (+) xs ys in b") ==
        "type-mismatch size-mismatch");
  CHECK(errors(head + "let a = unknown xs let b = xs .+ ys in (a, b)") ==
        "unknown-name broadcast-shape");
  CHECK(errors(head + "if true + 1 then map2 (+) xs ys else map (\\x -> -y) xs") ==
        "type-mismatch unknown-name size-mismatch");
  CHECK(errors("def f (n: i64) : f64 = let x = iota n in let y = x : [n+1]i64 in n") ==
        "type-mismatch size-mismatch");
  CHECK(errors(head + "map2 (+) (replicate unknown 1) xs |> zip xs") ==
        "unknown-name");
  CHECK(errors(head + "let (a, b) = 1i32 let c : foo = a in map2 (+) xs ys") ==
        "type-mismatch unknown-name size-mismatch");
}

TEST_CASE("sizes of arrays follow the program") {
  CHECK(type_of_last("def f [n] (xs: [n]i32) = map (+1) xs") == "[n]. [n]i32 -> *[n]i32");
  CHECK(type_of_last("def f xs = map (+1i32) xs") == "[d]. [d]i32 -> *[d]i32");
  CHECK(type_of_last("def f (n: i64) = iota n") == "(n: i64) -> *[n]i64");
  CHECK(type_of_last("def f (n: i64) = let m = n + 1 in iota m") == "(n: i64) -> *[n + 1]i64");
  CHECK(type_of_last("def f [n] (xs: [n]i32) = xs[2:]") == "[n]. [n]i32 -> [n - 2]i32");
  CHECK(type_of_last("def f [n] (xs: [n]i32) = xs[::-1]") == "[n]. [n]i32 -> [n]i32");
  CHECK(type_of_last("def f (n: i64) = 0..<n") == "(n: i64) -> *[n]i64");
  CHECK(type_of_last("def f xs = filter (> 0i32) xs") == "[d]. [d]i32 -> ?[k].*[k]i32");
  CHECK(type_of_last("def f (b: bool) = if b then [1i32] else [1, 2]") ==
        "bool -> ?[differ].*[differ]i32");
  CHECK(errors("def v xs = zip (filter (> 0i32) xs) (filter (> 1) xs)") == "size-mismatch");
  CHECK(errors("def f [n][m] (xs: [n]i32) (ys: [m]i32) = map2 (+) xs ys") == "size-mismatch");
  CHECK(errors("def f [n][m] (xs: [n]i32) (ys: [m]i32) = map2 (+) xs (ys :> [n]i32)") == "");
  CHECK(errors("def f (xs: []i32) (ys: []i32) = zip xs ys") == "");
  CHECK(errors("def f (n: i64) : [n]i32 = replicate (n + 1) 0") == "size-mismatch");
  CHECK(errors("def f = map iota [1, 2, 3]") == "size-mismatch");
  CHECK(errors("def f [n] (x: i32) = x") == "unused-size");
  CHECK(errors("def f (n: i64) = let xs = iota (n + 1) in (xs : [n + 1]i64)") == "");
}

TEST_CASE("a function whose argument is a size fits where each call decides the size") {
  CHECK(errors("def f (g: i64 -> ?[k].([k]i64, i32)) = g 3\n"
               "def v = f (\\n -> (iota (n + 1), 1))") == "");
  CHECK(errors("def f (xs: []i64) = flatmap (\\n -> (iota n, ())) xs") == "");
  CHECK(errors("def f 'a (g: a -> i64 -> []i64) (x: a) = g x 1\n"
               "def v = f (\\(n: i64) (m: i64) -> iota (n + m)) 2") == "");
  const std::string apply = "def apply (f: []i32 -> []i32) (xs: []i32) = f xs\n";
  CHECK(errors(apply + "def f (xs: []i32) = apply (\\ys -> copy ys) xs") == "");
  CHECK(errors(apply + "def f (xs: []i32) = apply (filter (> 1)) xs") == "");
}

TEST_CASE("loops decide which sizes vary") {
  CHECK(type_of_last("def f [n] (xs: [n]i32) = loop ys = xs for _i < 3i32 do map (+1) ys") ==
        "[n]. [n]i32 -> [n]i32");
  CHECK(type_of_last("def f (xs: []i32) = loop ys = xs for _i < 3i32 do ys ++ ys") ==
        "[d]. [d]i32 -> ?[loop].[loop]i32");
  CHECK(errors("def f [n] (a: [n]i32) (b: [n]i32) = loop (x, y) = (a, b) for _i < 3i32 do (y, x)")
        == "");
}

TEST_CASE("causality") {
  CHECK(errors("def f (n: i64) = let xs = filter (> 0) (iota n) in zip xs (map (+1) xs)") == "");
  CHECK(errors("def f (xs: []i64) = "
               "(\\(ys: [length (filter (> 0) xs)]i64) -> ys) (filter (> 0) xs)") != "");
}

TEST_CASE("modules") {
  CHECK(errors("module m = {def x = 1i32}\ndef y = m.x + 1") == "");
  CHECK(errors("module m : {type t val x : t} = {type t = i32 def x = 1i32}\ndef y = m.x + 1") ==
        "type-mismatch");
  CHECK(errors("module m : {type t val x : t val f : t -> i32} = "
               "{type t = i32 def x = 1i32 def f (y: t) = y}\ndef y = m.f m.x") == "");
  CHECK(errors("module f (P: {type t val x : t}) = {def y = (P.x, P.x)}\n"
               "module g = f {type t = bool def x = true}\ndef z : (bool, bool) = g.y") == "");
  CHECK(errors("module m : {val x : i32} = {def x = 1f32}") == "module-mismatch");
  CHECK(errors("module m : {val x : i32} = {def y = 1i32}") == "module-mismatch");
  CHECK(errors("module type s = {type t val f : t -> t}\n"
               "module m : s with t = i32 = {type t = i32 def f x = x + 1i32}\n"
               "def y = m.f 2") == "");
  CHECK(errors("module m = {module n = {def x = 1i32}}\ndef y = m.n.x") == "");
  CHECK(errors("open {def x = 1i32}\ndef y = x") == "");
  CHECK(errors("local def x = 1i32\ndef y = x") == "");
  CHECK(errors("def f x = f64.(sqrt x + e)") == "");
}

TEST_CASE("broadcasts") {
  CHECK(type_of_last("def f [n] (xs: [n]f32) = xs .+ 1") == "[n]. [n]f32 -> *[n]f32");
  CHECK(type_of_last("def f [n][m] (a: [n][m]f32) (b: [m]f32) = a .* b") ==
        "[n][m]. [n][m]f32 -> [m]f32 -> *[n][m]f32");
  CHECK(type_of_last("def f [n][m] (a: [n][1]f32) (b: [m]f32) = a .* b") ==
        "[n][m]. [n][1]f32 -> [m]f32 -> *[n][m]f32");
  CHECK(type_of_last("def f [n] (a: [n]f32) = f32.sqrt.(a .+ a)") == "[n]. [n]f32 -> *[n]f32");
  CHECK(type_of_last("def f [n] (a: [n]f32) = broadcast (\\x y -> (x, y)) a true") ==
        "[n]. [n]f32 -> *[n](f32, bool)");
  CHECK(errors("def f (a: [2]f32) (b: [3]f32) = a .+ b") == "broadcast-shape");
  CHECK(errors("def f [n][m] (a: [n]f32) (b: [m]f32) = a .+ b") == "broadcast-shape");
  CHECK(errors("def f [n][m] (a: [n][m]f32) = map (\\row -> row .+ 1) a") == "");
  CHECK(errors("def f a = a .+ 1") == "ambiguous-type");
  CHECK(errors("def f (x: i32) = x .+ 1") == "");
}

TEST_CASE("a shape mismatch shows the shapes below each other") {
  const Checked checked("def f (a: [2][3]f32) (b: [4]f32) = a .+ b");
  const std::string text = checked.messages();
  CHECK(text.find("sizes `3` and `4` do not match") != std::string::npos);
  CHECK(text.find("[2] [3]") != std::string::npos);
}

TEST_CASE("functions stand only where the language allows them") {
  CHECK(errors("def f = [\\x -> x + 1i32]") == "functional-value");
  CHECK(errors("def f (b: bool) = (if b then (+1i32) else (+2)) 3") == "functional-value");
  CHECK(errors("entry f (g: i32 -> i32) = g 1") == "entry-point");
  CHECK(errors("entry f 't (x: t) = x") == "entry-point");
  CHECK(errors("entry f x = x") == "entry-point");
}

TEST_CASE("numbers") {
  CHECK(errors("def x : i8 = 128") == "literal-out-of-bounds");
  CHECK(errors("def x : i8 = -128") == "");
  CHECK(errors("def x : u8 = -1") == "literal-out-of-bounds");
  CHECK(errors("def x : f16 = 70000") == "literal-out-of-bounds");
  CHECK(Checked("def f a b = a + b").warns(DiagnosticKind::defaulted_type));
}

TEST_CASE("entry points say what the outside sees") {
  const Checked checked("type point = {x: f32, y: f32}\n"
                        "entry f (p: point) (xs: *[]i32) : (point, *[]i32) = (p, xs)");
  REQUIRE(checked.result.entries.size() == 1);
  const check::EntryPoint& entry = checked.result.entries[0];
  CHECK(entry.name == "f");
  REQUIRE(entry.parameters.size() == 2);
  CHECK(entry.parameters[0].type_name == "point");
  CHECK(entry.parameters[1].unique);
  REQUIRE(entry.results.size() == 2);
  CHECK(entry.results[0].type_name == "point");
  CHECK(entry.results[1].unique);
}

TEST_CASE("recursion") {
  CHECK(errors("def f (n: i32) : i32 = if n == 0 then 1 else n * f (n - 1)") == "");
  CHECK(errors("def f (g: i32 -> i32) (n: i32) : i32 = "
               "if n == 0 then 0 else f (\\x -> g x) (n - 1)") == "recursion");
}

TEST_CASE("the library's slots are filled") { CHECK(errors("def main (x: i32) = x") == ""); }
