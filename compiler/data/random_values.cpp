// From the words of SplitMix come integers within bounds by masking and rejection or, up to 32
// unsigned bits, by multiplication (Lemire, "Fast random integer generation in an interval", TOMACS
// 2019), and floats as a weighted mean of the bounds.
#include "data/random_values.h"

#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <sstream>

#include "data/split_mix.h"
#include "half.h"
#include "values.h"

namespace dagaz::data {

namespace {

constexpr int64_t most_elements = 1'000'000'000;

// In [0, range], by rejection of words of as many bits.
uint64_t masked(SplitMix& random, uint64_t range, bool of_64_bits) {
  const uint64_t mask = ~uint64_t{0} >> std::countl_zero(range | 1);
  for (;;) {
    const uint64_t word = (of_64_bits ? random.word() : random.half_word()) & mask;
    if (word <= range) return word;
  }
}

// In [0, range], by multiplication.
uint32_t scaled(SplitMix& random, uint32_t range) {
  if (range == std::numeric_limits<uint32_t>::max()) return random.half_word();
  const uint32_t count = range + 1;
  const uint32_t threshold = -count % count;
  for (;;) {
    const uint64_t product = uint64_t{random.half_word()} * count;
    if (static_cast<uint32_t>(product) >= threshold) return static_cast<uint32_t>(product >> 32);
  }
}

bool is_signed(int32_t element) { return element >= DZ_I8 && element <= DZ_I64; }

void write_integer(char* to, int32_t element, const Bounds& bounds, SplitMix& random) {
  const auto [low, high] = bounds.integers(element);
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  const bool multiplies = element == DZ_U8 || element == DZ_U16 || element == DZ_U32;
  const uint64_t above = multiplies ? scaled(random, static_cast<uint32_t>(range))
                                    : masked(random, range, element == DZ_I64 || element == DZ_U64);
  const uint64_t value = static_cast<uint64_t>(low) + above;
  std::memcpy(to, &value, static_cast<std::size_t>(runtime::element_info(element).bytes));
}

void write_float(char* to, int32_t element, const Bounds& bounds, SplitMix& random) {
  const auto [low, high] = bounds.floats(element);
  if (element == DZ_F64) {
    const double share = static_cast<double>(random.word()) / 0x1p64;
    const double value = low == high ? low : share * low + (1 - share) * high;
    std::memcpy(to, &value, sizeof value);
    return;
  }
  const auto low32 = static_cast<float>(low);
  const auto high32 = static_cast<float>(high);
  const float share = low == high ? 0 : static_cast<float>(random.half_word()) / 0x1p32f;
  const float value = low == high ? low32 : share * low32 + (1 - share) * high32;
  if (element == DZ_F32) {
    std::memcpy(to, &value, sizeof value);
    return;
  }
  const uint16_t half = runtime::double_to_half(static_cast<double>(value));
  std::memcpy(to, &half, sizeof half);
}

// `[100][2]f32`; nothing for other words.
std::optional<Array> parse_type(std::string_view word) {
  Array type;
  while (word.starts_with("[")) {
    int64_t size = 0;
    const auto [end, code] = std::from_chars(word.data() + 1, word.data() + word.size(), size);
    std::string_view rest = word.substr(static_cast<std::size_t>(end - word.data()));
    if (rest.starts_with("i64")) rest.remove_prefix(3);
    if (code != std::errc() || !rest.starts_with("]") || size < 0) return std::nullopt;
    type.shape.push_back(size);
    word = rest.substr(1);
  }
  const auto element = runtime::element_named(word);
  if (!element) return std::nullopt;
  type.element = *element;
  return type;
}

// Fills an array that has a type only; false if it is too large.
bool fill(Array& array, const Bounds& bounds, uint64_t seed) {
  const int64_t width = runtime::element_info(array.element).bytes;
  const auto count = runtime::checked_count(array.shape, width);
  if (!count || *count > most_elements) return false;
  array.bytes.resize(static_cast<std::size_t>(*count * width));
  SplitMix random(seed);
  for (int64_t i = 0; i < *count; ++i) {
    char* to = &array.bytes[static_cast<std::size_t>(i * width)];
    if (array.element >= DZ_F16) {
      write_float(to, array.element, bounds, random);
    } else if (array.element == DZ_BOOL) {
      *to = static_cast<char>(random.half_word() & 1);
    } else {
      write_integer(to, array.element, bounds, random);
    }
  }
  return true;
}

}  // namespace

Bounds::Bounds() {
  for (int32_t element = 0; element < runtime::element_count; ++element) {
    const auto at = static_cast<std::size_t>(element);
    const int64_t bits = 8 * runtime::element_info(element).bytes;
    const uint64_t all = ~uint64_t{0} >> (64 - bits);
    floats_.at(at) = {0.0, 1.0};
    integers_.at(at) = is_signed(element)
                           ? Integers{-static_cast<int64_t>(all / 2) - 1,
                                      static_cast<int64_t>(all / 2)}
                           : Integers{0, static_cast<int64_t>(all)};
  }
}

bool Bounds::set(int32_t element, const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return false;
  const auto at = static_cast<std::size_t>(element);
  const auto read = [&](const std::string& word, int64_t& integer, double& real) {
    if (element >= DZ_F16) return runtime::parse_scalar(word, DZ_F64, &real);
    integer = 0;
    if (!runtime::parse_scalar(word, element, &integer)) return false;
    if (is_signed(element)) {
      const int64_t unused = 64 - 8 * runtime::element_info(element).bytes;
      integer = static_cast<int64_t>(static_cast<uint64_t>(integer) << unused) >> unused;
    }
    return true;
  };
  Integers integers{};
  std::pair<double, double> floats;
  if (!read(text.substr(0, colon), integers.low, floats.first) ||
      !read(text.substr(colon + 1), integers.high, floats.second)) {
    return false;
  }
  const bool falls = is_signed(element) ? integers.high < integers.low
                                        : static_cast<uint64_t>(integers.high) <
                                              static_cast<uint64_t>(integers.low);
  if (element < DZ_F16 && falls) std::swap(integers.low, integers.high);
  integers_.at(at) = integers;
  floats_.at(at) = floats;
  return true;
}

std::optional<Array> random_value(const std::string& type, const Bounds& bounds, uint64_t seed,
                                  std::string& problem) {
  auto array = parse_type(type);
  if (!array) {
    problem = "`" + type + "` is no type of values, such as i32 or [100][2]f64";
    return std::nullopt;
  }
  if (!fill(*array, bounds, seed)) {
    problem = "`" + type + "` is too large for a random value";
    return std::nullopt;
  }
  return array;
}

std::optional<std::string> random_input(const std::string& types, std::string& problem) {
  std::istringstream words(types);
  const Bounds bounds;
  std::string out;
  for (std::string word; words >> word;) {
    if (!parse_type(word)) {
      out += word + "\n";  // a constant; the program's reader judges it
      continue;
    }
    const auto value = random_value(word, bounds, 1, problem);
    if (!value) return std::nullopt;
    out += binary_of(*value);
  }
  return out;
}

}  // namespace dagaz::data
