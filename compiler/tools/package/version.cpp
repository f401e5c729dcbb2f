#include "tools/package/version.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace dagaz::tools::package {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A number without leading zeros, and what must follow it.
bool take_number(std::string_view& text, std::uint64_t& number) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto used = static_cast<std::size_t>(end - text.data());
  if (code != std::errc() || (used > 1 && text[0] == '0')) return false;
  text.remove_prefix(used);
  return true;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

template <typename Belongs>
std::string take_while(std::string_view& text, Belongs belongs) {
  const auto end = std::find_if_not(text.begin(), text.end(), belongs);
  std::string word(text.begin(), end);
  text.remove_prefix(word.size());
  return word;
}

}  // namespace

std::strong_ordering Version::operator<=>(const Version& other) const {
  if (const auto order = major <=> other.major; order != 0) return order;
  if (const auto order = minor <=> other.minor; order != 0) return order;
  if (const auto order = patch <=> other.patch; order != 0) return order;
  if (time.empty() != other.time.empty()) {
    return time.empty() ? std::strong_ordering::greater : std::strong_ordering::less;
  }
  return time <=> other.time;
}

std::optional<Version> parse_version(std::string_view text) {
  Version version;
  if (!take_number(text, version.major) || !take(text, '.') || !take_number(text, version.minor) ||
      !take(text, '.') || !take_number(text, version.patch)) {
    return std::nullopt;
  }
  if (take(text, '-')) {
    version.time = take_while(text, is_digit);
    if (version.time.empty()) return std::nullopt;
  }
  if (take(text, '+')) {
    version.commit =
        take_while(text, [](unsigned char c) { return std::isalnum(c) != 0; });
    if (version.commit.empty()) return std::nullopt;
  }
  if (!text.empty()) return std::nullopt;
  return version;
}

std::string text_of(const Version& version) {
  std::string out = std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
                    std::to_string(version.patch);
  if (!version.time.empty()) out += "-" + version.time;
  if (!version.commit.empty()) out += "+" + version.commit;
  return out;
}

std::string commit_of(const Version& version) {
  const bool is_commit = version.major == 0 && version.minor == 0 && version.patch == 0 &&
                         !version.time.empty();
  return is_commit ? version.commit : "";
}

}  // namespace dagaz::tools::package
