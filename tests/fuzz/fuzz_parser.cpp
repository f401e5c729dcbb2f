// Source text from arbitrary bytes: parsing never crashes, every diagnostic lies inside the file,
// a file without diagnostics has no error, and what is parsed prints as text that parses to the
// same tree.
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "fuzz_driver.h"
#include "syntax/ast_print.h"
#include "syntax/imports.h"
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

// The declarations of the standard library, some forms it lacks, and the programs below the folder
// that DAGAZ_PROGRAMS names, if it is set.
FuzzMaterial fuzz_material() {
  FuzzMaterial material;
  for (const syntax::LibraryFile& library : syntax::standard_library()) {
    SourceFiles sources;
    NameTable names;
    Diagnostics diagnostics;
    ast::Arena arena;
    const FileId id = sources.add("library.fut", std::string(library.text));
    const ast::File file = syntax::parse_file(id, {sources, arena, names, diagnostics});
    for (const ast::Declaration* declaration : file.declarations) {
      material.seeds.push_back(ast::print(*declaration, names));
    }
  }
  for (const char* text : {
           "-- | file\n\n-- | first\ndef f [n] 't (x: *[n]t) : ?[k].*[k]t = x with [0] = ???",
           "def f = match x case (#a (-1) y) -> 1 case {a, b = (c: i32)} -> 2 case _ -> 'x'",
           "def f = loop (a, b) = (1, 2.5f32) for i < n do (xs .+ ys .* f.(a, b), (.- 1))",
           "entry f = let a[i].b = 1 let [n] xs = iota 0xFF in xs[1:n:(-1), ::2] |> map (.a[0])",
           "def f = \\x (y: i32) : i64 -> if a then b else if c `g` d then -x else !y : t :> u",
           "module type s = { type^ t 'a val (+) : t -> t include r with t = i32 module m : q }",
           "module m (P: s) : (t) -> u = \\(Q: v) -> { open import \"x\" local def x = 1 }",
           "#[a(1, b())] type t = #foo i32 ([n]f16) | #bar {a: (i8, u8), b: a -> (n: b) -> c}",
           "def f = 1...10 ++ 0..2..<n ++ (10..>0) ++ \"a\\n\\1234\\&5\" ++ [0rXIV, 1_0e-3]",
           "def f = assert (x) #[unsafe] (f (+) (x -) (- y) (M.+ 1) M.(x + y) r.0.1)",
       }) {
    material.seeds.emplace_back(text);
  }
  if (const char* folder = std::getenv("DAGAZ_PROGRAMS")) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".fut" || entry.file_size() > 4000) continue;
      material.seeds.push_back(*syntax::read_file(entry.path().string()));
    }
  }
  material.pieces = {
      "(", ")", "[", "]", "{", "}", "#[", ",", ";", "_", "?", "???", "->", ":", ":>", "\\", "~",
      "'", "'^", "'~", "`", ".", "..", "...", "..<", "..>", "=", "!", "-", "*", "<", "^", "|",
      "+", "==", "&&", "||", "<|", "|>", "**", " .+ ", " .< ", "#foo", "-- | doc\n", "-- x\n",
      "\n", " ", "if ", "then ", "else ", "def ", "let ", "loop ", "in ", "val ", "for ", "do ",
      "with ", "local ", "open ", "include ", "import \"a\" ", "type ", "entry ", "module ",
      "while ", "assert ", "match ", "case ", "true ", "false ", "x ", "M.", "M.+", "0", "1i8 ",
      "1.5", "0x1.8p3", "0rX", "'a'", "\"s\"", "\"", "\\", "0b1", "99999999999999999999",
      "1e999", "\xc3\xa4", "\xff", std::string(1, '\0')};
  return material;
}
