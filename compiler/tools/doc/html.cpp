// See html.h.
#include "tools/doc/html.h"

#include <algorithm>
#include <cctype>

namespace dagaz::tools::doc {

std::string escape_address(std::string_view text) {
  static constexpr std::string_view digits = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || std::string_view("-_.~/").find(c) != std::string_view::npos) {
      result += c;
    } else {
      result += {'%', digits[byte >> 4], digits[byte & 15u]};
    }
  }
  return result;
}

std::string relative_address(const std::string& from, const std::string& to) {
  std::string result;
  const auto depth = std::count(from.begin(), from.end(), '/');
  for (std::ptrdiff_t i = 0; i < depth; ++i) result += "../";
  return result + escape_address(to);
}

}  // namespace dagaz::tools::doc
