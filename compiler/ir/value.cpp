// Dense row-major arrays, without any cleverness.
#include "ir/value.h"

#include <algorithm>

#include "support/check.h"

namespace dagaz::ir {

std::size_t element_count(std::span<const std::int64_t> shape) {
  std::size_t count = 1;
  for (const std::int64_t size : shape) count *= static_cast<std::size_t>(size);
  return count;
}

Value scalar_value(const Constant& constant) { return {constant.type, {}, {constant.bits}}; }

Constant scalar_of_value(const Value& value) {
  DZ_CHECK(value.shape.empty() && value.elements.size() == 1, "a scalar is expected");
  return {value.element, value.elements[0]};
}

Value filled(ScalarType element, std::vector<std::int64_t> shape, std::uint64_t bits) {
  Value value{element, std::move(shape), {}};
  value.elements.assign(element_count(value.shape), bits);
  return value;
}

std::optional<std::size_t> offset_of(const Value& array, std::span<const std::int64_t> indices) {
  DZ_CHECK(indices.size() <= array.shape.size(), "too many indices");
  std::size_t offset = 0;
  for (std::size_t i = 0; i < array.shape.size(); ++i) {
    const std::int64_t index = i < indices.size() ? indices[i] : 0;
    if (i < indices.size() && (index < 0 || index >= array.shape[i])) return std::nullopt;
    offset = offset * static_cast<std::size_t>(array.shape[i]) + static_cast<std::size_t>(index);
  }
  return offset;
}

static Value part_without_elements(const Value& array, std::size_t dimensions) {
  const auto outer = static_cast<std::ptrdiff_t>(dimensions);
  return {array.element, {array.shape.begin() + outer, array.shape.end()}, {}};
}

Value part_at(const Value& array, std::size_t offset, std::size_t dimensions) {
  Value part = part_without_elements(array, dimensions);
  const std::size_t count = element_count(part.shape);
  DZ_CHECK(offset + count <= array.elements.size(), "a read past the end");
  part.elements.append(std::span(array.elements.begin() + offset, count));
  return part;
}

Value row(const Value& array, std::size_t index) {
  Value row = part_without_elements(array, 1);
  const std::size_t count = element_count(row.shape);
  row.elements = array.elements.part(index * count, count);
  return row;
}

void write_at(Value& array, std::size_t offset, const Value& part) {
  DZ_CHECK(offset + part.elements.size() <= array.elements.size(), "a write past the end");
  std::copy(part.elements.begin(), part.elements.end(),
            array.elements.begin() + offset);
}

void for_each_coordinate(std::span<const std::int64_t> shape,
                         FunctionRef<void(std::span<const std::int64_t>)> visit) {
  if (std::any_of(shape.begin(), shape.end(), [](std::int64_t size) { return size <= 0; })) return;
  std::vector<std::int64_t> at(shape.size(), 0);
  for (;;) {
    visit(at);
    std::size_t dimension = shape.size();
    while (dimension > 0 && ++at[dimension - 1] == shape[dimension - 1]) at[--dimension] = 0;
    if (dimension == 0) return;
  }
}

}  // namespace dagaz::ir
