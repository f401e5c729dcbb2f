// See spelling.h.
#include "support/spelling.h"

#include <algorithm>
#include <cctype>

namespace dagaz {

namespace {

// Of words of one or two letters nearly all are near to each other.
std::size_t farthest(std::size_t length) {
  return length < 3 ? 0 : std::max<std::size_t>(1, length / 3);
}

std::string lower(std::string_view text) {
  std::string result;
  for (const char c : text) {
    result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return result;
}

}  // namespace

std::size_t spelling_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, above);
    std::swap(above, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

Spelling::Spelling(std::string_view word) : word_(word), least_(farthest(word.size())) {}

void Spelling::consider(std::string_view candidate) {
  if (candidate == word_ || candidate.empty()) return;
  const std::size_t longer = std::max(candidate.size(), word_.size());
  if (longer - std::min(candidate.size(), word_.size()) > least_) return;
  const std::size_t distance =
      lower(candidate) == lower(word_) ? std::min<std::size_t>(1, least_)
                                       : spelling_distance(word_, candidate);
  if (distance > least_ || distance >= longer) return;
  if (distance < least_) nearest_.clear();
  least_ = distance;
  if (std::find(nearest_.begin(), nearest_.end(), candidate) == nearest_.end()) {
    nearest_.emplace_back(candidate);
  }
}

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
