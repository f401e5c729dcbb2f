// What the fuzzers of the parser and the formatter start from.
#include <cstdlib>
#include <filesystem>

#include "fuzz_driver.h"
#include "syntax/ast_print.h"
#include "syntax/imports.h"
#include "syntax/parse.h"

using namespace dagaz;

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
