// Programs that are nearly right: the checker never crashes.  The seeds are small programs
// and those below DAGAZ_PROGRAMS.  Most of the time would go into checking the standard library, so
// inputs that parse are gathered and checked together, each as a file of its own.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "check/check.h"
#include "fuzz_driver.h"
#include "support/check.h"
#include "syntax/imports.h"
#include "syntax/parse.h"

using namespace dagaz;

namespace {

// Inputs that are made here come in great numbers; others are checked one by one.
std::size_t batch_size = 1;

// What is being checked, for the message after a crash or a failed invariant.
std::string current_input;

void show_input_and_die(int signal) {
  std::fprintf(stderr, "while checking these inputs:\n%s\n", current_input.c_str());
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

bool parses(const std::string& text) {
  SourceFiles sources;
  NameTable names;
  Diagnostics diagnostics;
  ast::Arena arena;
  const FileId id = sources.add("input.fut", text);
  syntax::parse_file(id, {sources, arena, names, diagnostics});
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    render(diagnostic, sources, RenderStyle::plain);
  }
  return !diagnostics.has_errors();
}

// Checks a program that imports all of `inputs`, and then the last one.
void check_all(const std::vector<std::string>& inputs) {
  std::string root;
  current_input.clear();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    current_input += inputs[i] + "\n----\n";
    if (i + 1 < inputs.size()) root += "module m" + std::to_string(i) + " = import \"" +
                                       std::to_string(i) + "\"\n";
  }
  const Doing doing(current_input);
  SourceFiles sources;
  NameTable names;
  Diagnostics diagnostics;
  const auto read = [&](const std::string& name) -> std::optional<std::string> {
    const auto i = static_cast<std::size_t>(std::strtoul(name.c_str(), nullptr, 10));
    const bool known = name == std::to_string(i) + ".fut" && i < inputs.size();
    return known ? std::optional(inputs[i]) : std::nullopt;
  };
  ast::Program program = syntax::parse_program_text("input.fut", root + inputs.back(), sources,
                                                    names, diagnostics, read);
  check::check_program(program, names, diagnostics);
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    render(diagnostic, sources, RenderStyle::plain);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static std::vector<std::string> batch;
  std::string text(reinterpret_cast<const char*>(data), size);
  // Imports of files that do not exist would end the program before it is checked.
  if (text.find("import") != std::string::npos || !parses(text)) return 0;
  batch.push_back(std::move(text));
  if (batch.size() < batch_size) return 0;
  check_all(batch);
  batch.clear();
  return 0;
}

FuzzMaterial fuzz_material() {
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE}) std::signal(signal, show_input_and_die);
  batch_size = 16;
  FuzzMaterial material;
  material.seeds = {
      "def f [n] (xs: *[n]i32) (i: i64) = let xs[i] = xs[0] + 1 in map (+ 1) xs",
      "type t = #a i32 | #b {x: f64, y: []f64}\n"
      "def f (t: t) = match t case #a n -> f64.i32 n case #b r -> r.x + f64.sum r.y",
      "module m = {type t = i32 def one : t = 1 def (+) (x: t) (y: t) = x i32.+ y}\n"
      "module type s = {type t val one : t val (+) : t -> t -> t}\n"
      "module twice (P: s) = {def two = P.(one + one)}\n"
      "module n = twice (m : s)\nentry main (x: i32) = n.two",
      "def sum 'a (op: a -> a -> a) (x: a) [n] (xs: [n]a) = loop acc = x for y in xs do op acc y",
      "def f n = let xs = iota n let (ys, zs) = split xs in (ys : [n]i64) ++ zs[1:n / 2]",
      "def g (f: i64 -> ?[k].[k]f32) = let x = f 3 in zip x (replicate (length x) 2.5)",
      "def f x = vjp (\\(a, b) -> f32.sin a * b) x 1 |> (.0)\ndef h = {a = 1, b = 2u8} with a = 3",
  };
  if (const char* folder = std::getenv("DAGAZ_PROGRAMS")) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".fut" || entry.file_size() > 2000) continue;
      material.seeds.push_back(*syntax::read_file(entry.path().string()));
    }
  }
  material.pieces = {
      "(", ")", "[n]", "[]", "[0]", ", ", "x", "xs", "f ", "i32", "i64", "f32", "bool", "'a ",
      "1", "2.5", "true", " + ", " == ", " && ", " |> ", " : ", " :> ", " -> ", "*", "(\\x -> x)",
      "map ", "reduce (+) 0 ", "iota ", "zip ", "scatter ", "let y = x in ", "if x then y else ",
      "loop x for i < n do ", "match x case _ -> ", " with [0] = 1", " with a = ", "#a ", "#b ",
      "{a = 1}", ".a", ".0", "M.", "def g = ", "type u = ", "module n = ", "???", " .+ ", "'^b "};
  return material;
}
