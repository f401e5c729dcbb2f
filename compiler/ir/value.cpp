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
  DZ_CHECK(value.shape.empty(), "an array where a scalar is expected");
  return {value.element, value.elements.front()};
}

Value filled(ScalarType element, std::vector<std::int64_t> shape, std::uint64_t bits) {
  const std::size_t count = element_count(shape);
  return {element, std::move(shape), std::vector<std::uint64_t>(count, bits)};
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

Value part_at(const Value& array, std::size_t offset, std::size_t dimensions) {
  Value part;
  part.element = array.element;
  part.shape.assign(array.shape.begin() + static_cast<std::ptrdiff_t>(dimensions),
                    array.shape.end());
  const auto begin = array.elements.begin() + static_cast<std::ptrdiff_t>(offset);
  part.elements.assign(begin, begin + static_cast<std::ptrdiff_t>(element_count(part.shape)));
  return part;
}

Value row(const Value& array, std::size_t index) {
  const std::span<const std::int64_t> inner(array.shape.begin() + 1, array.shape.end());
  return part_at(array, index * element_count(inner), 1);
}

void write_at(Value& array, std::size_t offset, const Value& part) {
  DZ_CHECK(offset + part.elements.size() <= array.elements.size(), "a write past the end");
  std::copy(part.elements.begin(), part.elements.end(),
            array.elements.begin() + static_cast<std::ptrdiff_t>(offset));
}

void for_each_coordinate(std::span<const std::int64_t> shape,
                         const std::function<void(std::span<const std::int64_t>)>& visit) {
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
