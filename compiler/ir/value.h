// Operations on the interpreter's dense arrays.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ir/interpret.h"
#include "support/function_ref.h"

namespace dagaz::ir {

/// The number of elements of an array of this shape.
std::size_t element_count(std::span<const std::int64_t> shape);

Value scalar_value(const Constant& constant);
/// The scalar that `value` holds.
Constant scalar_of_value(const Value& value);
Value filled(ScalarType element, std::vector<std::int64_t> shape, std::uint64_t bits);

/// Where the part at `indices` (of the outer dimensions) starts; nothing if out of bounds.
std::optional<std::size_t> offset_of(const Value& array, std::span<const std::int64_t> indices);
/// A copy of the part at `offset` without the first `dimensions` dimensions.
Value part_at(const Value& array, std::size_t offset, std::size_t dimensions);
/// Shares the memory of `array`, which a write to one of them copies.
Value row(const Value& array, std::size_t index);
/// Writes all elements of `part` from `offset` on.
void write_at(Value& array, std::size_t offset, const Value& part);

/// Calls `visit` with every coordinate inside `shape`, in row-major order.
void for_each_coordinate(std::span<const std::int64_t> shape,
                         FunctionRef<void(std::span<const std::int64_t>)> visit);

}  // namespace dagaz::ir
