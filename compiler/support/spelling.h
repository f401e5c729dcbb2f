// Which word was meant by one that is not known: the nearest of those that are.  All in the header,
// because the runtime, which is not linked with the compiler, says what its options mean as well.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dagaz {

/// How many letters must be changed, added, left out or swapped with their neighbours to make `a`
/// of `b` (Damerau and Levenshtein; no letter is changed twice).
inline std::size_t spelling_distance(std::string_view a, std::string_view b) {
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

/// The nearest words to one, each seen once.
class Spelling {
 public:
  // Of words of one or two letters nearly all are near to each other.
  explicit Spelling(std::string_view word)
      : word_(word), least_(word.size() < 3 ? 0 : std::max<std::size_t>(1, word.size() / 3)) {}

  void consider(std::string_view candidate) {
    if (candidate == word_ || candidate.empty()) return;
    const std::size_t longer = std::max(candidate.size(), word_.size());
    if (longer - std::min(candidate.size(), word_.size()) > least_) return;
    const std::size_t distance = lower(candidate) == lower(word_)
                                     ? std::min<std::size_t>(1, least_)
                                     : spelling_distance(word_, candidate);
    if (distance > least_ || distance >= longer) return;
    if (distance < least_) nearest_.clear();
    least_ = distance;
    if (std::find(nearest_.begin(), nearest_.end(), candidate) == nearest_.end()) {
      nearest_.emplace_back(candidate);
    }
  }

  /// Those at the least distance, if that is small for a word of this length.
  const std::vector<std::string>& nearest() const { return nearest_; }

 private:
  static std::string lower(std::string_view text) {
    std::string result;
    for (const char c : text) {
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return result;
  }

  std::string word_;
  std::size_t least_;
  std::vector<std::string> nearest_;
};

/// "; did you mean `a`?", or nothing: the end of a message about an unknown `word`.
template <typename Words>
std::string did_you_mean(std::string_view word, const Words& words) {
  Spelling spelling(word);
  for (const auto& each : words) spelling.consider(each);
  return spelling.nearest().empty() ? "" : "; did you mean `" + spelling.nearest().front() + "`?";
}

}  // namespace dagaz
