// Values in the binary format of runtime/values.h, taken apart without being read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dagaz::data {

/// Bytes before the sizes: `b`, version, rank, four characters of type.
constexpr std::size_t binary_header = 7;

struct BinaryValue {
  std::size_t element_bytes;
  std::vector<int64_t> shape;
  std::size_t header;  // bytes before the elements
  std::size_t bytes;   // all of it
};

/// The value at the start of `text`, if there is one.
std::optional<BinaryValue> binary_value(std::string_view text);

/// The values that `text` consists of, one behind the other, up to the first that is none.
std::vector<std::string> split_binary(std::string_view text);

}  // namespace dagaz::data
