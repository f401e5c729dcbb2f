#include "data/binary_values.h"

#include <algorithm>
#include <cstring>

#include "values.h"

namespace dagaz::data {

std::optional<BinaryValue> binary_value(std::string_view text) {
  if (text.size() < binary_header || text[0] != 'b') return std::nullopt;
  std::string_view name = text.substr(3, 4);
  name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
  const auto element = runtime::element_named(name);
  if (!element) return std::nullopt;
  const auto rank = static_cast<std::size_t>(static_cast<unsigned char>(text[2]));
  BinaryValue value{static_cast<std::size_t>(runtime::element_info(*element).bytes), {},
                    binary_header + 8 * rank, 0};
  if (text.size() < value.header) return std::nullopt;
  value.shape.resize(rank);
  if (rank > 0) std::memcpy(value.shape.data(), text.data() + binary_header, 8 * rank);
  const auto width = static_cast<int64_t>(value.element_bytes);
  const auto count = runtime::checked_count(value.shape, width);
  if (!count || static_cast<std::size_t>(*count * width) > text.size() - value.header) {
    return std::nullopt;
  }
  value.bytes = value.header + static_cast<std::size_t>(*count * width);
  return value;
}

std::vector<std::string> split_binary(std::string_view text) {
  std::vector<std::string> leaves;
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(" \n"), text.size()));
    const auto value = binary_value(text);
    if (!value) return leaves;
    leaves.emplace_back(text.substr(0, value->bytes));
    text.remove_prefix(value->bytes);
  }
}

}  // namespace dagaz::data
