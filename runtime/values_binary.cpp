// Reading the binary form: a header of letters and sizes, then the elements as they are in
// memory on a little-endian machine, so that no element needs to be looked at or copied.
#include <algorithm>
#include <cstring>

#include "values.h"

namespace dagaz::runtime {

static constexpr size_t header_bytes = 7;  // 'b', version, rank, four letters of the type
static constexpr char known_version = 2;

bool ValueReader::fail_at_byte(size_t where, const std::string& message) {
  error_ = std::string(source_) + ": byte " + std::to_string(where) + ": " + message;
  return false;
}

bool ValueReader::read_binary(dz_leaf_type type, Value& out) {
  const size_t start = position_;
  const std::string_view header = input_.substr(start, header_bytes);
  if (header.size() < header_bytes) {
    return fail_at_byte(input_.size(), "the input ends within the header of a binary value");
  }
  if (header[1] != known_version) {
    return fail_at_byte(start + 1,
                        "binary format version " +
                            std::to_string(static_cast<unsigned char>(header[1])) +
                            " is unknown; this program reads version 2");
  }
  const auto rank = static_cast<unsigned char>(header[2]);
  std::string_view name = header.substr(3, 4);
  name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
  const std::optional<int32_t> element = element_named(name);
  if (!element) {
    return fail_at_byte(start + 3, "no element type is called `" + std::string(name) + "`");
  }
  if (*element != type.element || rank != type.rank) {
    return fail_at_byte(start, "expected a value of type " + value_type_name(type) +
                                   ", found one of type " +
                                   value_type_name({*element, static_cast<int32_t>(rank)}));
  }
  position_ = start + header_bytes;
  if (input_.size() - position_ < size_t{rank} * sizeof(int64_t)) {
    return fail_at_byte(input_.size(), "the input ends within the sizes of a binary value");
  }
  for (int i = 0; i < rank; ++i) {
    int64_t size = 0;
    std::memcpy(&size, input_.data() + position_, sizeof size);
    if (size < 0) {
      return fail_at_byte(position_, "a size is too large");
    }
    out.shape.push_back(size);
    position_ += sizeof size;
  }
  const int64_t element_bytes = element_info(type.element).bytes;
  const std::optional<int64_t> count = checked_count(out.shape, element_bytes);
  const size_t left = input_.size() - position_;
  if (!count || static_cast<size_t>(*count * element_bytes) > left) {
    return fail_at_byte(input_.size(),
                        "the input ends within the elements of a value of type " +
                            value_type_name(type));
  }
  out.bytes = input_.substr(position_, static_cast<size_t>(*count * element_bytes));
  if (type.element == DZ_BOOL) {
    for (size_t i = 0; i < out.bytes.size(); ++i) {
      if (out.bytes[i] != 0 && out.bytes[i] != 1) {
        return fail_at_byte(position_ + i, "a bool must be 0 or 1");
      }
    }
  }
  position_ += out.bytes.size();
  return true;
}

std::optional<size_t> stored_bytes(std::string_view bytes) {
  if (bytes.size() < stored_header || !bytes.starts_with(stored_magic)) {
    return std::nullopt;
  }
  uint64_t payload = 0;
  std::memcpy(&payload, bytes.data() + stored_magic.size(), sizeof payload);
  if (payload > bytes.size() - stored_header) {
    return std::nullopt;
  }
  return stored_header + payload;
}

}  // namespace dagaz::runtime
