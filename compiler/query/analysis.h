// One program, read and checked with everything that questions about it need.  Made anew after
// each change: the checker is fast enough, and nothing has to be kept in step.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "check/check.h"
#include "check/context.h"
#include "check/name_record.h"
#include "support/diagnostic.h"
#include "support/name_table.h"
#include "support/source.h"
#include "syntax/ast.h"
#include "syntax/imports.h"
#include "syntax/parse.h"

namespace dagaz::query {

/// Bytes of the root's text.
struct Span {
  std::uint32_t begin;
  std::uint32_t end;
};

/// A checked program.  Not movable: its parts point to each other.
class Analysis {
 public:
  /// Reads and checks the program whose root is `text`, in a file at `path`.  `wanted` is a name
  /// that is still being written.
  Analysis(const std::string& path, std::string text, const syntax::FileReader& read,
           std::optional<Span> wanted = std::nullopt);
  Analysis(const Analysis&) = delete;
  Analysis& operator=(const Analysis&) = delete;

  const SourceFiles& files() const { return files_; }
  const NameTable& names() const { return names_; }
  const ast::Program& program() const { return program_; }
  const check::Context& context() const { return *context_; }
  const check::NameRecord& record() const { return record_; }
  const check::CheckedProgram& checked() const { return checked_; }
  /// What a user is to see, in the order of the text.
  const std::vector<Diagnostic>& diagnostics() const { return shown_; }
  const syntax::Recovery& recovery() const { return recovery_; }
  const ast::File& root() const { return program_.files.back(); }
  std::string_view root_text() const { return files_.file(root().id).text(); }
  bool is_root(const Range& range) const { return range.valid() && range.file == root().id; }
  /// Whether a file is part of the standard library.
  bool is_library(FileId file) const;
  /// Where a file is on disk; for the library, its name in the library.
  const std::string& path(FileId file) const { return files_.file(file).name(); }

 private:
  SourceFiles files_;
  NameTable names_;
  Diagnostics reading_;
  Diagnostics checking_;
  syntax::Recovery recovery_;
  ast::Program program_;
  check::CheckedProgram checked_;
  check::NameRecord record_;
  std::unique_ptr<check::Context> context_;
  std::vector<Diagnostic> shown_;
};

/// A type without the sizes that nobody can name.
std::string type_text(const Analysis& analysis, const check::Type* type);
/// The type of the value `id`, with its parameters; empty if nothing is known.
std::string value_type(const Analysis& analysis, BindingId id);
/// What the type name `id` stands for; empty for an abstract one.
std::string type_definition(const Analysis& analysis, TypeNameId id);

}  // namespace dagaz::query
