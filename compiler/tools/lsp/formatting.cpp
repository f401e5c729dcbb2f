// The common layout, as one edit of the lines that differ.
#include <string>
#include <string_view>

#include "tools/lsp/requests.h"

namespace dagaz::tools::lsp {

Json formatting(const Query& query) {
  const std::string& before = query.document.text;
  const auto formatted = query.workspace.services().format(query.document.path, before);
  if (!formatted) {
    throw RequestError{ErrorCode::request_failed, "a program with syntax errors has no layout"};
  }
  const std::string_view after = *formatted;
  if (before == after) return Json::array();
  std::size_t first = 0;
  while (first < before.size() && first < after.size() && before[first] == after[first]) ++first;
  const std::size_t line = first == 0 ? 0 : before.rfind('\n', first - 1) + 1;
  std::size_t tail = 0;
  while (tail < before.size() - first && tail < after.size() - first &&
         before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) {
    ++tail;
  }
  // The edit ends with a line of both, too.
  while (tail > 0 && before[before.size() - tail - 1] != '\n') --tail;
  Json edit{{"range", query.snapshot.range(static_cast<std::uint32_t>(line),
                                           static_cast<std::uint32_t>(before.size() - tail))},
            {"newText", after.substr(line, after.size() - tail - line)}};
  return Json::array({std::move(edit)});
}

}  // namespace dagaz::tools::lsp
