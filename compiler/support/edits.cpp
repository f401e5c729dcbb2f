// See edits.h.
#include "support/edits.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace dagaz {

std::optional<std::string> edited(std::string_view text, std::vector<Edit> edits) {
  std::stable_sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) {
    return std::tuple(a.range.begin, a.range.end) < std::tuple(b.range.begin, b.range.end);
  });
  std::string result;
  std::size_t done = 0;
  for (const Edit& edit : edits) {
    const bool fits = done <= edit.range.begin && edit.range.begin <= edit.range.end &&
                      edit.range.end <= text.size();
    if (!fits) return std::nullopt;
    result += text.substr(done, edit.range.begin - done);
    result += edit.text;
    done = edit.range.end;
  }
  result += text.substr(done);
  return result;
}

std::vector<Edit> around(const Range& range, std::string before, std::string after) {
  return {{{range.file, range.begin, range.begin}, std::move(before)},
          {{range.file, range.end, range.end}, std::move(after)}};
}

}  // namespace dagaz
