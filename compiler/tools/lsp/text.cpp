// See text.h.
#include "tools/lsp/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <filesystem>

namespace dagaz::tools::lsp {

namespace {

// How many bytes the character takes that begins with `first`, and how many units of UTF-16.
std::size_t byte_length(unsigned char first) {
  return first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}
std::uint32_t unit_length(std::size_t bytes) { return bytes == 4 ? 2 : 1; }

bool is_plain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("/-_.~").find(c) != std::string_view::npos;
}

constexpr std::string_view file_scheme = "file://";

}  // namespace

LineIndex::LineIndex(std::string_view text, Encoding encoding)
    : text_(text), encoding_(encoding), starts_{0} {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') starts_.push_back(i + 1);
  }
}

std::uint32_t LineIndex::length(std::string_view part) const {
  if (encoding_ == Encoding::utf8) return static_cast<std::uint32_t>(part.size());
  std::uint32_t units = 0;
  for (std::size_t i = 0; i < part.size();) {
    const std::size_t bytes = byte_length(static_cast<unsigned char>(part[i]));
    units += unit_length(bytes);
    i += bytes;
  }
  return units;
}

Place LineIndex::place(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
  const auto line = static_cast<std::size_t>(after - starts_.begin()) - 1;
  const std::size_t start = starts_[line];
  return {static_cast<std::uint32_t>(line), length(text_.substr(start, offset - start))};
}

std::uint32_t LineIndex::offset(Place place) const {
  if (place.line >= starts_.size()) return static_cast<std::uint32_t>(text_.size());
  std::size_t at = starts_[place.line];
  std::size_t end = place.line + 1 < starts_.size() ? starts_[place.line + 1] - 1 : text_.size();
  if (end > at && text_[end - 1] == '\r') --end;
  if (encoding_ == Encoding::utf8) {
    return static_cast<std::uint32_t>(std::min(at + place.character, end));
  }
  for (std::uint32_t units = 0; units < place.character && at < end;) {
    const std::size_t bytes = byte_length(static_cast<unsigned char>(text_[at]));
    units += unit_length(bytes);
    at += bytes;
  }
  return static_cast<std::uint32_t>(std::min(at, end));
}

std::string path_of(std::string_view address) {
  if (!address.starts_with(file_scheme)) return std::string(address);
  address.remove_prefix(file_scheme.size());
  std::string path;
  for (std::size_t i = 0; i < address.size(); ++i) {
    unsigned value = 0;
    const char* digits = address.data() + i + 1;
    if (address[i] == '%' && i + 2 < address.size() &&
        std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2) {
      path += static_cast<char>(value);
      i += 2;
    } else {
      path += address[i];
    }
  }
  return std::filesystem::path(path).lexically_normal().string();
}

std::string address_of(std::string_view path) {
  if (!path.starts_with('/')) return std::string(path);
  static constexpr std::string_view digits = "0123456789ABCDEF";
  std::string address(file_scheme);
  for (const char c : path) {
    if (is_plain(c)) {
      address += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      address += {'%', digits[byte >> 4], digits[byte & 15u]};
    }
  }
  return address;
}

std::size_t skip_space_back(std::string_view text, std::size_t from) {
  while (from > 0 && std::isspace(static_cast<unsigned char>(text[from - 1])) != 0) --from;
  return from;
}

}  // namespace dagaz::tools::lsp
