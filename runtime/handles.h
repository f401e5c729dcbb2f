// What the C API's functions share: opaque values, conversions between C values and leaves, and
// checks of handles.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "api.h"
#include "context.h"
#include "values.h"

/// The leaves follow the header in the same allocation.
struct dz_opaque {
  int32_t type;
  int32_t leaf_count;
  dz_leaf leaves[1];
};

namespace dagaz::runtime {

/// The number of a scalar type that the program itself may not mention: the server knows all.
constexpr int32_t scalar_type(int32_t element) {
  return -1 - element;
}
/// The scalar type of an element, which belongs to no program.
const dz_type& scalar_description(int32_t element);

/// A type of the program, or the scalar of a scalar_type.
inline const dz_type& type_at(const dz_context& context, int32_t type) {
  return type >= 0 ? context.program.types[type] : scalar_description(-1 - type);
}

inline std::vector<int64_t> shape_of(const dz_array& array) {
  return {array.shape, array.shape + array.rank};
}
inline int64_t element_bytes(const dz_array& array) {
  return element_info(array.element).bytes;
}
/// Number of elements of an array that exists, so the product cannot overflow.
int64_t element_total(const dz_array& array);

/// A new array over memory of the pool; its elements are uninitialised.
int32_t make_array(dz_context& context, dz_leaf_type type, const int64_t* shape, dz_array** out);
/// Another handle on the same memory.
int32_t share_array(dz_context& context, const dz_array& array, dz_array** out);
void free_array(dz_context& context, dz_array* array);

/// An opaque value of that type, its leaves all zero (null arrays).
int32_t make_opaque(dz_context& context, int32_t type, dz_opaque** out);
/// Frees the value and its arrays.
void free_opaque(dz_context& context, dz_opaque* object);

/// dst becomes an own reference to what src holds: arrays are shared, scalars copied.
int32_t share_leaf(dz_context& context, dz_leaf_type type, dz_leaf source, dz_leaf* target);

/// Appends the leaves of the C value that `value` points to; arrays are borrowed.  False when a
/// handle is null or of another type.
bool append_leaves(dz_context& context, int32_t type, const void* value,
                   std::vector<dz_leaf>& leaves);
/// Stores leaves as the C value of a type at `out`.  The leaves' references pass to the value.
int32_t store_leaves(dz_context& context, int32_t type, const dz_leaf* leaves, void* out);

inline dz_leaf scalar_leaf(const void* value, int32_t element) {
  dz_leaf leaf;
  leaf.bits = 0;
  std::memcpy(&leaf.bits, value, static_cast<size_t>(element_info(element).bytes));
  return leaf;
}

/// Gathers the rows of an array of which each rank has its own; and of those among the leaves of a
/// value.
int32_t make_whole(dz_context& context, const dz_array& array);
int32_t make_whole(dz_context& context, const dz_opaque& object);

/// Reports that a function of the API was misused; returns DZ_ERROR.
int32_t misuse(dz_context& context, const char* function, const char* problem);
/// The same for a mistake in a value: an index out of bounds, shapes that differ.
int32_t bad_value(dz_context& context, const std::string& problem);

/// How many elements of `bytes` an array of this shape has; nothing, with a report, where no memory
/// holds them.
std::optional<int64_t> count_of(dz_context& context, const int64_t* shape, int32_t rank,
                                int64_t bytes);
/// The position of an element in row-major order; nothing, with a report, out of bounds.
std::optional<int64_t> flat_index(dz_context& context, const int64_t* shape, int32_t rank,
                                  const int64_t* indices);

}  // namespace dagaz::runtime
