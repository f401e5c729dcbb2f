// A checked program with its index, and its places in the terms of the protocol.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/lsp/names.h"
#include "tools/lsp/protocol.h"
#include "tools/lsp/text.h"
#include "tools/lsp/workspace.h"

namespace dagaz::tools::lsp {

Json place_json(Place place);
Place place_of(const Json& json);

class Snapshot {
 public:
  Snapshot(const std::string& path, std::string text, const syntax::FileReader& read,
           Encoding encoding);

  const Analysis& analysis() const { return analysis_; }
  /// Made when it is first asked for: diagnostics do without.
  const Index& index() const {
    if (!index_) index_.emplace(analysis_);
    return *index_;
  }
  const LineIndex& lines() const { return lines_; }
  /// How the program's constructs are differentiated; found when it is first asked for.
  const std::vector<DerivativeNote>& derivatives(const Workspace& workspace) const;
  Encoding encoding() const { return encoding_; }

  /// The range in the root's text.
  Json range(std::uint32_t begin, std::uint32_t end) const;
  Json range(const Range& range) const { return this->range(range.begin, range.end); }
  /// The range in whichever file; null if that cannot be shown.
  Json location(const Range& range) const;
  /// Whether the file at `path` is part of the program.
  bool reads(const std::string& path) const;
  /// Whether an import names a file that does not exist.
  bool lacks_a_file() const { return lacks_a_file_; }
  /// Where the file is on disk; empty if it is not.
  std::string disk_path(FileId file) const;

 private:
  Analysis analysis_;
  mutable std::optional<Index> index_;
  mutable std::optional<std::vector<DerivativeNote>> derivatives_;
  Encoding encoding_;
  LineIndex lines_;
  bool lacks_a_file_ = false;
};

}  // namespace dagaz::tools::lsp
