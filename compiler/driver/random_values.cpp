#include "driver/random_values.h"

#include <charconv>
#include <cstring>
#include <random>
#include <sstream>
#include <vector>

#include "half.h"
#include "values.h"

namespace dagaz::driver {

namespace {

constexpr int64_t most_elements = 1'000'000'000;

struct ArrayType {
  std::vector<int64_t> shape;
  int32_t element;
};

// `[100][2]f32`; nothing for other words.
std::optional<ArrayType> parse_type(std::string_view word) {
  ArrayType type;
  while (!word.empty() && word[0] == '[') {
    int64_t size = 0;
    const auto [end, code] = std::from_chars(word.data() + 1, word.data() + word.size(), size);
    const auto used = static_cast<std::size_t>(end - word.data());
    if (code != std::errc() || used >= word.size() || word[used] != ']' || size < 0) {
      return std::nullopt;
    }
    type.shape.push_back(size);
    word.remove_prefix(used + 1);
  }
  const auto element = runtime::element_named(word);
  if (!element) return std::nullopt;
  type.element = *element;
  return type;
}

void write_element(char* to, int32_t element, std::mt19937_64& random) {
  const uint64_t bits = random();
  const double unit = static_cast<double>(bits >> 11) * 0x1p-53;
  if (element == DZ_F64) {
    std::memcpy(to, &unit, 8);
  } else if (element == DZ_F32) {
    const float value = static_cast<float>(bits >> 40) * 0x1p-24f;
    std::memcpy(to, &value, 4);
  } else if (element == DZ_F16) {
    const uint16_t value = runtime::double_to_half(static_cast<double>(bits >> 53) * 0x1p-11);
    std::memcpy(to, &value, 2);
  } else if (element == DZ_BOOL) {
    *to = static_cast<char>(bits >> 63);
  } else {
    std::memcpy(to, &bits, static_cast<std::size_t>(runtime::element_info(element).bytes));
  }
}

}  // namespace

std::optional<std::string> random_input(const std::string& types, std::string& error) {
  std::istringstream words(types);
  std::string out;
  for (std::string word; words >> word;) {
    const auto type = parse_type(word);
    if (!type) {
      out += word + "\n";  // a constant; the program's reader judges it
      continue;
    }
    int64_t count = 1;
    for (const int64_t size : type->shape) {
      if (size != 0 && count > most_elements / size) {
        error = "`" + word + "` is too large for a random input";
        return std::nullopt;
      }
      count *= size;
    }
    const int64_t size = runtime::element_info(type->element).bytes;
    std::vector<char> bytes(static_cast<std::size_t>(count * size));
    std::mt19937_64 random(1);
    for (int64_t i = 0; i < count; ++i) write_element(&bytes[static_cast<std::size_t>(i * size)], type->element, random);
    runtime::write_value(out, runtime::ValueFormat::binary, type->element, type->shape,
                         bytes.data());
  }
  return out;
}

}  // namespace dagaz::driver
