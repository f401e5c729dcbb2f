// Loads a whole program: the root file, what it imports, and the embedded standard library.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "support/diagnostic.h"
#include "support/name_table.h"
#include "support/source.h"
#include "syntax/ast.h"
#include "syntax/parse.h"

namespace dagaz::syntax {

/// A file of the standard library, as embedded when Dagaz was built.
struct LibraryFile {
  std::string_view name;  // `soacs`
  std::string_view text;
};
std::span<const LibraryFile> standard_library();

/// File::path of a file of the standard library: `/prelude/soacs`.
std::string library_path(std::string_view name);

/// Reads a file, or returns nothing.  Editors and tests pass their own.
using FileReader = std::function<std::optional<std::string>(const std::string& path)>;
/// The text of a file on disk.
std::optional<std::string> read_file(const std::string& path);

/// Everything the program at `root_path` consists of, in an order in which each file stands behind
/// those it imports: first the standard library, `intrinsics` at its front, last the root.
/// `import "a/b"` means `a/b.fut` beside the importing file; a path from `/` is looked up in the
/// standard library and then from the directory the compiler was started in.  Where no such file
/// exists, the standard library is asked too: `import "derivatives"`.  `recovery`: as in parse.h.
ast::Program parse_program(const std::string& root_path, SourceFiles& sources, NameTable& names,
                           Diagnostics& diagnostics, const FileReader& read = read_file,
                           Recovery* recovery = nullptr);

/// The same for a root file whose text is given.
ast::Program parse_program_text(const std::string& name, std::string text, SourceFiles& sources,
                                NameTable& names, Diagnostics& diagnostics,
                                const FileReader& read = read_file,
                                Recovery* recovery = nullptr);

}  // namespace dagaz::syntax
