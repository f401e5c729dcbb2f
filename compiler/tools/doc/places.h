// Where on the site each name is documented, and each line of source shown.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "query/analysis.h"
#include "query/index.h"

namespace dagaz::tools::doc {

/// A place on a page.
struct Target {
  std::string page;
  std::string anchor;
};

/// Whether the standard library has pages, too.
enum class Library { left_out, shown };

/// `lib/a` for `lib/a.fut`: the address of a file's pages without their ending.
std::string page_stem(const query::Analysis& analysis, const ast::File& file);
std::string documentation_page(const std::string& stem);
std::string source_page(const std::string& stem);

/// What can be linked to in one program.
class Places {
 public:
  Places(const query::Analysis& analysis, const query::Index& index, Library library);

  /// Where a definition is documented; nothing if it is not.
  std::optional<Target> documented(query::Index::Id id) const;
  /// Where the source shows it; nothing if its file has no page.
  std::optional<Target> in_source(query::Index::Id id) const;
  /// The anchor of the declaration whose name stands at `name`.
  std::string anchor(const Range& name) const;
  /// What a reference in documentation means: a name as in `map` or `f64.sqrt`, seen from inside
  /// of the module whose anchor is `scope`, in `file`.  `kind` is term, type, mtype or empty.
  std::optional<Target> resolve(const std::string& name, const std::string& kind, FileId file,
                                std::string scope) const;
  bool is_shown(FileId file) const { return stems_.contains(file.index); }
  const std::string& stem(FileId file) const { return stems_.at(file.index); }

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;

  void collect(const std::vector<ast::Declaration*>& declarations, const std::string& prefix);
  void collect(const ast::ModuleExp& module, const std::string& prefix);
  void collect(const ast::SignatureExp& signature, const std::string& prefix);
  void add(const ast::Name& name, const char* kind, const std::string& prefix);

  const query::Analysis& analysis_;
  const query::Index& index_;
  std::map<std::uint32_t, std::string> stems_;            // by file
  std::map<Key, std::string> anchors_;                    // by the place of the name
  std::map<std::pair<std::uint32_t, std::string>, Key> names_;  // by file and anchor
};

}  // namespace dagaz::tools::doc
