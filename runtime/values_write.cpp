// Writing values in any form.
#include <algorithm>

#include "values.h"

namespace dagaz::runtime {

namespace {

/// Prints the subarray at `level`, advancing `bytes` over its elements.
void write_subarray(std::string& out, int32_t element, const std::vector<int64_t>& shape,
                    size_t level, const char*& bytes) {
  if (level == shape.size()) {
    write_scalar(out, element, bytes);
    bytes += element_info(element).bytes;
    return;
  }
  out += '[';
  for (int64_t i = 0; i < shape[level]; ++i) {
    if (i > 0) {
      out += ", ";
    }
    write_subarray(out, element, shape, level + 1, bytes);
  }
  out += ']';
}

void write_text(std::string& out, int32_t element, const std::vector<int64_t>& shape,
                const char* bytes) {
  if (std::find(shape.begin(), shape.end(), 0) == shape.end()) {
    write_subarray(out, element, shape, 0, bytes);
    return;
  }
  out += "empty(";
  for (const int64_t size : shape) {
    out += "[" + std::to_string(size) + "]";
  }
  out += std::string(element_info(element).name) + ")";
}

void write_binary_header(std::string& out, int32_t element, const std::vector<int64_t>& shape) {
  const std::string name = element_info(element).name;
  out += 'b';
  out += '\2';
  out += static_cast<char>(shape.size());
  out += std::string(4 - name.size(), ' ') + name;
  for (const int64_t size : shape) {
    out.append(reinterpret_cast<const char*>(&size), sizeof size);
  }
}

void write_binary(std::string& out, int32_t element, const std::vector<int64_t>& shape,
                  const char* bytes) {
  write_binary_header(out, element, shape);
  const int64_t width = element_info(element).bytes;
  const int64_t count = checked_count(shape, width).value_or(0);
  out.append(bytes, static_cast<size_t>(count * width));
}

}  // namespace

void write_header(std::string& out, ValueFormat format, int32_t element,
                  const std::vector<int64_t>& shape) {
  if (format == ValueFormat::npy) {
    write_npy_header(out, element, shape);
  } else {
    write_binary_header(out, element, shape);
  }
}

void write_value(std::string& out, ValueFormat format, int32_t element,
                 const std::vector<int64_t>& shape, const void* bytes) {
  const auto* first = static_cast<const char*>(bytes);
  switch (format) {
    case ValueFormat::text: return write_text(out, element, shape, first);
    case ValueFormat::binary: return write_binary(out, element, shape, first);
    case ValueFormat::npy: return write_npy(out, element, shape, first);
    case ValueFormat::csv: return write_csv(out, element, shape, first);
  }
}

}  // namespace dagaz::runtime
