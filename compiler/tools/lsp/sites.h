// All places where one name stands, in every program of the workspace that knows it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/lsp/names.h"
#include "tools/lsp/requests.h"

namespace dagaz::tools::lsp {

struct Site {
  std::string path;
  Range range;  // in the files of `snapshot`
  bool is_definition;
  bool is_pun;
  const Snapshot* snapshot;
};

struct Sites {
  std::vector<Site> all;
  /// The programs that they are from, by the path of their root.
  std::vector<std::pair<std::string, std::shared_ptr<const Snapshot>>> programs;
};

/// The places of `id`, which is of the query's program; each once, whatever the number of programs.
Sites sites_of(const Query& query, Index::Id id);

}  // namespace dagaz::tools::lsp
