#include "driver/wrapped_integers.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace dagaz::driver {

namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

// `word` in the range of its suffix; nothing if it is no decimal integer with a suffix.
std::optional<std::string> wrapped(std::string_view word) {
  const bool negative = word.starts_with('-');
  if (negative) word.remove_prefix(1);
  std::uint64_t value = 0;
  const char* const end = word.data() + word.size();
  const auto [digits_end, code] = std::from_chars(word.data(), end, value);
  if (code != std::errc() || digits_end == end) return std::nullopt;
  const std::string_view suffix(digits_end, static_cast<std::size_t>(end - digits_end));
  if (suffix.size() < 2 || (suffix[0] != 'i' && suffix[0] != 'u')) return std::nullopt;
  unsigned bits = 0;
  const auto [bits_end, bits_code] = std::from_chars(suffix.data() + 1, end, bits);
  if (bits_end != end || (bits != 8 && bits != 16 && bits != 32 && bits != 64)) return std::nullopt;
  if (negative) value = 0 - value;
  const unsigned unused = 64 - bits;
  const std::string number =
      suffix[0] == 'u' ? std::to_string(value << unused >> unused)
                       : std::to_string(static_cast<std::int64_t>(value << unused) >> unused);
  return number + std::string(suffix);
}

}  // namespace

std::string wrapped_integers(const std::string& values) {
  std::string out;
  std::size_t i = 0;
  while (i < values.size()) {
    std::size_t end = i + 1;
    if (values[i] == '"') {
      for (; end < values.size() && values[end] != '"'; ++end) end += values[end] == '\\' ? 1 : 0;
      end = std::min(end + 1, values.size());
    } else if (values[i] == '-' || is_word(values[i])) {
      while (end < values.size() && is_word(values[end])) ++end;
    }
    const std::string word = values.substr(i, end - i);
    out += wrapped(word).value_or(word);
    i = end;
  }
  return out;
}

}  // namespace dagaz::driver
