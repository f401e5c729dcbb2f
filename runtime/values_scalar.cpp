// Scalars in text form, both ways.  A number may carry its own type as a suffix and `_` between
// digits; integers may be hexadecimal or binary; printed floats use the fewest digits that read
// back as the same value.
#include <locale.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "half.h"
#include "values.h"

namespace dagaz::runtime {

namespace {

bool is_float(int32_t element) {
  return element >= DZ_F16;
}

bool is_signed_integer(int32_t element) {
  return element >= DZ_I8 && element <= DZ_I64;
}

/// The text without the underscores between digits, in `buffer` if there are any; nothing when
/// one stands at an end.
std::optional<std::string_view> without_underscores(std::string_view text, std::string& buffer) {
  if (text.find('_') == std::string_view::npos) {
    return text;
  }
  if (text.front() == '_' || text.back() == '_') {
    return std::nullopt;
  }
  buffer.assign(text);
  std::erase(buffer, '_');
  return buffer;
}

/// Takes a sign off the front; true for minus.
bool take_sign(std::string_view& text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) {
    text.remove_prefix(1);
  }
  return negative;
}

bool has_prefix(std::string_view text, char letter) {
  return text.size() > 2 && text[0] == '0' && (text[1] | 0x20) == letter;
}

/// Digits in any of the three bases as a magnitude.
std::optional<uint64_t> parse_magnitude(std::string_view text) {
  int base = 10;
  if (has_prefix(text, 'x')) {
    base = 16;
  } else if (has_prefix(text, 'b')) {
    base = 2;
  }
  text.remove_prefix(base == 10 ? 0 : 2);
  uint64_t magnitude = 0;
  const auto [end, problem] =
      std::from_chars(text.data(), text.data() + text.size(), magnitude, base);
  if (problem != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return magnitude;
}

/// Values that fit the width are accepted whether the type is signed or not, as the peer does:
/// 0xffi8 and 255i8 are -1i8.
bool parse_integer(std::string_view text, int32_t element, void* out) {
  const bool negative = take_sign(text);
  const std::optional<uint64_t> magnitude = parse_magnitude(text);
  if (!magnitude) {
    return false;
  }
  const int64_t bytes = element_info(element).bytes;
  const int bits = static_cast<int>(bytes) * 8;
  const uint64_t most = std::numeric_limits<uint64_t>::max() >> (64 - bits);
  if (*magnitude > (negative ? most / 2 + 1 : most)) {
    return false;
  }
  const uint64_t value = negative ? 0 - *magnitude : *magnitude;
  std::memcpy(out, &value, static_cast<size_t>(bytes));
  return true;
}

/// An application that the runtime is linked into may have set another locale.
locale_t plain_locale() {
  static const locale_t locale = newlocale(LC_ALL_MASK, "C", nullptr);
  return locale;
}

/// Decimal or hexadecimal notation.  Too large becomes infinity and too small becomes zero.
template <typename Float>
std::optional<Float> parse_number(std::string_view text) {
  const bool hexadecimal = has_prefix(text, 'x');
  if (has_prefix(text, 'b')) {
    const std::optional<uint64_t> magnitude = parse_magnitude(text);
    return magnitude ? std::optional<Float>(static_cast<Float>(*magnitude)) : std::nullopt;
  }
  const std::string_view whole = text;
  text.remove_prefix(hexadecimal ? 2 : 0);
  // from_chars would also take "inf" and "nan", and a sign.
  const bool starts_like_number =
      !text.empty() && (std::isxdigit(static_cast<unsigned char>(text[0])) != 0 || text[0] == '.');
  if (!starts_like_number) {
    return std::nullopt;
  }
  Float value = 0;
  const auto [end, problem] =
      std::from_chars(text.data(), text.data() + text.size(), value,
                      hexadecimal ? std::chars_format::hex : std::chars_format::general);
  if (end != text.data() + text.size() || problem == std::errc::invalid_argument) {
    return std::nullopt;
  }
  if (problem == std::errc::result_out_of_range) {
    return static_cast<Float>(
        strtod_l(std::string(whole).c_str(), nullptr, plain_locale()));
  }
  return value;
}

void store_float(double value, int32_t element, void* out) {
  if (element == DZ_F16) {
    const uint16_t half = double_to_half(value);
    std::memcpy(out, &half, sizeof half);
  } else if (element == DZ_F32) {
    const auto single = static_cast<float>(value);
    std::memcpy(out, &single, sizeof single);
  } else {
    std::memcpy(out, &value, sizeof value);
  }
}

bool parse_float(std::string_view text, int32_t element, void* out) {
  const bool negative = take_sign(text);
  std::string_view name = text;  // of a value that has no digits
  const bool named = text.starts_with(element_info(element).name);
  name.remove_prefix(named ? std::string_view(element_info(element).name).size() : 0);
  std::optional<double> value;
  if (named && name == ".nan") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (named && name == ".inf") {
    value = std::numeric_limits<double>::infinity();
  } else if (element == DZ_F32) {
    // Straight to single precision: rounding twice could be off by one.
    value = parse_number<float>(text);
  } else {
    value = parse_number<double>(text);
  }
  if (!value) {
    return false;
  }
  store_float(negative ? -*value : *value, element, out);
  return true;
}

/// Removes the type's name from the end of a number.  The `f32` at the end of a hexadecimal
/// number without exponent is made of digits.
std::string_view without_suffix(std::string_view text, int32_t element) {
  const std::string_view suffix = element_info(element).name;
  std::string_view digits = text;
  take_sign(digits);
  const bool hexadecimal_digits = is_float(element) && has_prefix(digits, 'x') &&
                                  digits.find_first_of("pP") == std::string_view::npos;
  if (!hexadecimal_digits && digits.size() > suffix.size() && digits.ends_with(suffix)) {
    text.remove_suffix(suffix.size());
  }
  return text;
}

/// The shortest decimal notation, with a `.` or an exponent so that it is seen to be a float.
template <typename Float>
std::string shortest(Float value) {
  char digits[64];
  const auto result = std::to_chars(digits, digits + sizeof digits, value);
  return {digits, result.ptr};
}

/// to_chars knows no binary16, so the fewest significant digits are found by trying.
std::string shortest_half(uint16_t bits) {
  const float value = half_to_float(bits);
  for (int precision = 1;; ++precision) {
    char digits[64];
    const auto result = std::to_chars(digits, digits + sizeof digits, value,
                                      std::chars_format::general, precision);
    double back = 0;
    std::from_chars(digits, result.ptr, back);
    if (double_to_half(back) == bits || precision == 9) {
      return shortest(back);  // the same digits, without an exponent where that is shorter
    }
  }
}

template <typename T>
T load(const void* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

void write_float(std::string& out, int32_t element, const void* bytes) {
  const char* const name = element_info(element).name;
  double value = 0;
  std::string digits;
  if (element == DZ_F16) {
    value = static_cast<double>(half_to_float(load<uint16_t>(bytes)));
    digits = std::isfinite(value) ? shortest_half(load<uint16_t>(bytes)) : "";
  } else if (element == DZ_F32) {
    value = static_cast<double>(load<float>(bytes));
    digits = shortest(load<float>(bytes));
  } else {
    value = load<double>(bytes);
    digits = shortest(value);
  }
  if (std::isnan(value)) {
    out += std::string(name) + ".nan";
  } else if (std::isinf(value)) {
    out += std::string(value < 0 ? "-" : "") + name + ".inf";
  } else {
    out += digits;
    if (digits.find_first_of(".e") == std::string::npos) {
      out += ".0";
    }
    out += name;
  }
}

int64_t load_signed(const void* bytes, int64_t size) {
  switch (size) {
    case 1:
      return load<int8_t>(bytes);
    case 2:
      return load<int16_t>(bytes);
    case 4:
      return load<int32_t>(bytes);
    default:
      return load<int64_t>(bytes);
  }
}

uint64_t load_unsigned(const void* bytes, int64_t size) {
  uint64_t value = 0;
  std::memcpy(&value, bytes, static_cast<size_t>(size));
  return value;
}

}  // namespace

bool parse_scalar(std::string_view text, int32_t element, void* out) {
  if (element == DZ_BOOL) {
    const char value = text == "true" ? 1 : 0;
    std::memcpy(out, &value, 1);
    return text == "true" || text == "false";
  }
  std::string buffer;
  const std::optional<std::string_view> plain =
      without_underscores(without_suffix(text, element), buffer);
  if (!plain) {
    return false;
  }
  return is_float(element) ? parse_float(*plain, element, out)
                           : parse_integer(*plain, element, out);
}

void write_scalar(std::string& out, int32_t element, const void* bytes) {
  if (element == DZ_BOOL) {
    out += load<char>(bytes) != 0 ? "true" : "false";
    return;
  }
  if (is_float(element)) {
    write_float(out, element, bytes);
    return;
  }
  const ElementInfo& info = element_info(element);
  char digits[32];
  const auto result =
      is_signed_integer(element)
          ? std::to_chars(digits, digits + sizeof digits, load_signed(bytes, info.bytes))
          : std::to_chars(digits, digits + sizeof digits, load_unsigned(bytes, info.bytes));
  out.append(digits, result.ptr);
  out += info.name;
}

}  // namespace dagaz::runtime
