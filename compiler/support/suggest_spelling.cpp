// See suggest_spelling.h.
#include "support/suggest_spelling.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace dagaz {

void suggest_spelling(Diagnostic& diagnostic, const Range& range, const Spelling& spelling) {
  constexpr std::size_t most = 3;
  const auto& names = spelling.nearest();
  const auto how = names.size() == 1 ? Applicability::certain : Applicability::possible;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) {
    diagnostic.hints.emplace_back("a similar name exists: `" + names[i] + "`",
                                  std::vector<Edit>{{range, names[i]}}, how);
  }
}

}  // namespace dagaz
