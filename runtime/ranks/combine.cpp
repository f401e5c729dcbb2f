#include "ranks/combine.h"

#include <algorithm>
#include <type_traits>

#include "abi.h"

namespace dagaz::runtime {

namespace {

template <typename T>
T combined(int32_t combine, T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return combine == DZ_ADD ? a + b : a * b;
  } else {
    using Signed = std::make_signed_t<T>;
    const auto x = static_cast<Signed>(a);
    const auto y = static_cast<Signed>(b);
    switch (combine) {
      case DZ_ADD: return static_cast<T>(uint64_t{a} + b);
      case DZ_MULTIPLY: return static_cast<T>(uint64_t{a} * b);
      case DZ_SIGNED_MINIMUM: return static_cast<T>(std::min(x, y));
      case DZ_SIGNED_MAXIMUM: return static_cast<T>(std::max(x, y));
      case DZ_UNSIGNED_MINIMUM: return std::min(a, b);
      case DZ_UNSIGNED_MAXIMUM: return std::max(a, b);
      case DZ_BIT_AND: return static_cast<T>(a & b);
      case DZ_BIT_OR: return static_cast<T>(a | b);
      default: return static_cast<T>(a ^ b);
    }
  }
}

/// One element after the other of `count` into those that are there.
template <typename T>
void combine_into(int32_t combine, const void* from, int64_t count, void* into) {
  const T* next = static_cast<const T*>(from);
  T* result = static_cast<T*>(into);
  for (int64_t i = 0; i < count; ++i) {
    result[i] = combined(combine, result[i], next[i]);
  }
}

}  // namespace

void combine_elements(int32_t combine, int32_t element, const void* from, int64_t count,
                      void* into) {
  switch (element) {
    case DZ_F32: return combine_into<float>(combine, from, count, into);
    case DZ_F64: return combine_into<double>(combine, from, count, into);
    case DZ_BOOL:
    case DZ_I8:
    case DZ_U8: return combine_into<uint8_t>(combine, from, count, into);
    case DZ_I16:
    case DZ_U16: return combine_into<uint16_t>(combine, from, count, into);
    case DZ_I32:
    case DZ_U32: return combine_into<uint32_t>(combine, from, count, into);
    default: return combine_into<uint64_t>(combine, from, count, into);
  }
}

}  // namespace dagaz::runtime
