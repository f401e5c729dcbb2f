// Literals are read by hand where the standard library has no such notation (Roman numerals,
// separators, escapes) and by the C library where it has.
#include "syntax/literals.h"

#include <array>
#include <cstdlib>
#include <utility>

namespace dagaz::syntax {

namespace {

using ast::LiteralSuffix;

constexpr std::array<std::pair<std::string_view, LiteralSuffix>, 8> integer_suffixes{{
    {"i8", LiteralSuffix::i8},
    {"i16", LiteralSuffix::i16},
    {"i32", LiteralSuffix::i32},
    {"i64", LiteralSuffix::i64},
    {"u8", LiteralSuffix::u8},
    {"u16", LiteralSuffix::u16},
    {"u32", LiteralSuffix::u32},
    {"u64", LiteralSuffix::u64},
}};
constexpr std::array<std::pair<std::string_view, LiteralSuffix>, 3> real_suffixes{{
    {"f16", LiteralSuffix::f16},
    {"f32", LiteralSuffix::f32},
    {"f64", LiteralSuffix::f64},
}};

// Splits the suffix off the end of `text`.
template <typename Table>
LiteralSuffix take_suffix(std::string_view& text, const Table& table) {
  for (const auto& [spelling, suffix] : table) {
    if (text.ends_with(spelling)) {
      text.remove_suffix(spelling.size());
      return suffix;
    }
  }
  return LiteralSuffix::none;
}

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void read_digits(std::string_view digits, unsigned base, ast::IntegerLiteral& result) {
  for (const char c : digits) {
    if (c == '_') continue;
    std::uint64_t next = 0;
    const bool shifted = !__builtin_mul_overflow(result.value, std::uint64_t{base}, &next);
    const auto digit = static_cast<std::uint64_t>(digit_value(c));
    const bool added = !__builtin_add_overflow(next, digit, &next);
    if (!shifted || !added) result.too_large = true;
    result.value = next;
  }
}

// Subtractive notation: a numeral before a larger one counts negatively, by the pairs allowed.
std::uint64_t roman_value(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::uint64_t>, 13> numerals{{
      {"M", 1000}, {"CM", 900}, {"D", 500}, {"CD", 400}, {"C", 100}, {"XC", 90}, {"L", 50},
      {"XL", 40}, {"X", 10}, {"IX", 9}, {"V", 5}, {"IV", 4}, {"I", 1},
  }};
  std::string letters;
  for (const char c : text) {
    if (c != '_') letters += c;
  }
  std::string_view rest = letters;
  std::uint64_t value = 0;
  while (!rest.empty()) {
    const std::pair<std::string_view, std::uint64_t>* best = nullptr;
    for (const auto& numeral : numerals) {
      const bool longer = best == nullptr || numeral.first.size() > best->first.size();
      if (rest.starts_with(numeral.first) && longer) best = &numeral;
    }
    if (best == nullptr) break;
    value += best->second;
    rest.remove_prefix(best->first.size());
  }
  return value;
}

std::string without_separators(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c != '_') result += c;
  }
  return result;
}

// The value of decimal or (with 0x) hexadecimal notation.  Out of range becomes infinity or zero.
// f32 literals are rounded once, straight from the text.
double rounded(const std::string& text, LiteralSuffix suffix) {
  if (suffix == LiteralSuffix::f32) return static_cast<double>(std::strtof(text.c_str(), nullptr));
  return std::strtod(text.c_str(), nullptr);
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto byte = [&](std::uint32_t value) { out += static_cast<char>(value); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | (code >> 6));
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | (code >> 12));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | (code >> 18));
    byte(0x80 | ((code >> 12) & 0x3F));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

// Takes one code point off the front; nothing if the bytes are not UTF-8.
std::optional<std::uint32_t> take_code_point(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (first >= 0x80 && (first < 0xC2 || first > 0xF4)) return std::nullopt;
  if (text.size() < length) return std::nullopt;
  std::uint32_t code = length == 1 ? first : first & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return std::nullopt;
    code = (code << 6) | (next & 0x3Fu);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  if (overlong || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return std::nullopt;
  text.remove_prefix(length);
  return code;
}

// A number in `base` at the front of `text`, at most the largest code point.
std::optional<std::uint32_t> take_number(std::string_view& text, unsigned base) {
  std::size_t used = 0;
  std::uint32_t value = 0;
  while (used < text.size()) {
    const int digit = digit_value(text[used]);
    if (digit < 0 || digit >= static_cast<int>(base)) break;
    value = value * base + static_cast<std::uint32_t>(digit);
    if (value > 0x10FFFF) return std::nullopt;
    ++used;
  }
  if (used == 0) return std::nullopt;
  text.remove_prefix(used);
  return value;
}

// The names of the ASCII control characters; SOH stands before SO because it is longer.
std::optional<std::uint32_t> take_control_name(std::string_view& text) {
  constexpr std::array<std::pair<std::string_view, std::uint32_t>, 35> controls{{
      {"NUL", 0}, {"SOH", 1}, {"STX", 2}, {"ETX", 3}, {"EOT", 4}, {"ENQ", 5}, {"ACK", 6},
      {"BEL", 7}, {"BS", 8}, {"HT", 9}, {"LF", 10}, {"VT", 11}, {"FF", 12}, {"CR", 13},
      {"SO", 14}, {"SI", 15}, {"DLE", 16}, {"DC1", 17}, {"DC2", 18}, {"DC3", 19}, {"DC4", 20},
      {"NAK", 21}, {"SYN", 22}, {"ETB", 23}, {"CAN", 24}, {"EM", 25}, {"SUB", 26}, {"ESC", 27},
      {"FS", 28}, {"GS", 29}, {"RS", 30}, {"US", 31}, {"SP", 32}, {"DEL", 127}, {"\"", '"'},
  }};
  for (const auto& [name, code] : controls) {
    if (text.starts_with(name)) {
      text.remove_prefix(name.size());
      return code;
    }
  }
  return std::nullopt;
}

// What follows a backslash.  `\&` is the empty string.
bool take_escape(std::string_view& text, std::string& out) {
  constexpr std::string_view letters = "abfnrtv\\\"'";
  constexpr std::string_view meanings = "\a\b\f\n\r\t\v\\\"'";
  const char c = text.front();
  if (const std::size_t i = letters.find(c); i != std::string_view::npos) {
    text.remove_prefix(1);
    out += meanings[i];
    return true;
  }
  std::optional<std::uint32_t> code;
  if (c == '&') {
    text.remove_prefix(1);
    return true;
  }
  if (c == '^' && text.size() > 1 && text[1] >= '@' && text[1] <= '_') {
    code = static_cast<std::uint32_t>(text[1] - '@');
    text.remove_prefix(2);
  } else if (c == 'x' || c == 'X' || c == 'o') {
    text.remove_prefix(1);
    code = take_number(text, c == 'o' ? 8 : 16);
  } else if (c >= '0' && c <= '9') {
    code = take_number(text, 10);
  } else {
    code = take_control_name(text);
  }
  if (!code || (*code >= 0xD800 && *code < 0xE000)) return false;
  append_utf8(out, *code);
  return true;
}

}  // namespace

ast::IntegerLiteral integer_value(std::string_view text) {
  ast::IntegerLiteral result{0, LiteralSuffix::none};
  result.suffix = take_suffix(text, integer_suffixes);
  const char marker = text.size() > 2 && text[0] == '0' ? text[1] : '0';
  switch (marker) {
    case 'x':
    case 'X': read_digits(text.substr(2), 16, result); break;
    case 'b':
    case 'B': read_digits(text.substr(2), 2, result); break;
    case 'r':
    case 'R': result.value = roman_value(text.substr(2)); break;
    default: read_digits(text, 10, result);
  }
  return result;
}

ast::FloatLiteral real_value(std::string_view text) {
  const LiteralSuffix suffix = take_suffix(text, real_suffixes);
  return {rounded(without_separators(text), suffix), suffix};
}

std::optional<std::string> unescape(std::string_view inside) {
  std::string out;
  while (!inside.empty()) {
    if (inside.front() == '\\') {
      inside.remove_prefix(1);
      if (inside.empty() || !take_escape(inside, out)) return std::nullopt;
      continue;
    }
    const std::optional<std::uint32_t> code = take_code_point(inside);
    if (!code) return std::nullopt;
    append_utf8(out, *code);
  }
  return out;
}

std::optional<std::uint32_t> single_code_point(std::string_view utf8) {
  if (utf8.empty()) return std::nullopt;
  const std::optional<std::uint32_t> code = take_code_point(utf8);
  return utf8.empty() ? code : std::nullopt;
}

}  // namespace dagaz::syntax
