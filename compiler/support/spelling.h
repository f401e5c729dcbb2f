// Which word was meant by one that is not known: the nearest of those that are.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "support/diagnostic.h"

namespace dagaz {

/// How many letters must be changed, added, left out or swapped with their neighbours to make `a`
/// of `b` (Damerau and Levenshtein; no letter is changed twice).
std::size_t spelling_distance(std::string_view a, std::string_view b);

/// The nearest words to one, each seen once.
class Spelling {
 public:
  explicit Spelling(std::string_view word);
  void consider(std::string_view candidate);
  /// Those at the least distance, if that is small for a word of this length.
  const std::vector<std::string>& nearest() const { return nearest_; }

 private:
  std::string word_;
  std::size_t least_;
  std::vector<std::string> nearest_;
};

/// Says which names are near to the unknown one at `range`; a single one can take its place.
void suggest_spelling(Diagnostic& diagnostic, const Range& range, const Spelling& spelling);

/// "; did you mean `a`?", or nothing: the end of a message about an unknown `word`.
template <typename Words>
std::string did_you_mean(std::string_view word, const Words& words) {
  Spelling spelling(word);
  for (const auto& each : words) spelling.consider(each);
  return spelling.nearest().empty() ? "" : "; did you mean `" + spelling.nearest().front() + "`?";
}

}  // namespace dagaz
