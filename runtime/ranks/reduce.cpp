// Combining what each rank has, element by element, in the order of ranks: not by MPI_Allreduce,
// which promises neither an order nor the same bits everywhere.
//
// Each rank combines one part of the elements of all, and hands the result round: 2·n·(p−1)/p
// elements sent by each, the least that there is (Thakur, Rabenseifner and Gropp, "Optimization of
// collective communication operations in MPICH", 2005).  Few elements go to everybody at once.
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "context.h"
#include "ranks/ranks.h"
#include "values.h"

namespace dagaz::runtime {

namespace {

/// Bytes from all ranks together up to which one message is better than two.
constexpr int64_t few_bytes = 4096;

template <typename T>
T combined(int32_t combine, T a, T b) {
  switch (combine) {
    case DZ_ADD: return static_cast<T>(a + b);
    case DZ_MULTIPLY: return static_cast<T>(a * b);
    default: break;
  }
  if constexpr (std::is_integral_v<T>) {
    using Signed = std::make_signed_t<T>;
    const auto x = static_cast<Signed>(a);
    const auto y = static_cast<Signed>(b);
    switch (combine) {
      case DZ_SIGNED_MINIMUM: return static_cast<T>(std::min(x, y));
      case DZ_SIGNED_MAXIMUM: return static_cast<T>(std::max(x, y));
      case DZ_UNSIGNED_MINIMUM: return std::min(a, b);
      case DZ_UNSIGNED_MAXIMUM: return std::max(a, b);
      case DZ_BIT_AND: return static_cast<T>(a & b);
      case DZ_BIT_OR: return static_cast<T>(a | b);
      case DZ_BIT_XOR: return static_cast<T>(a ^ b);
      default: break;
    }
  }
  return a;
}

/// `rows` rows of `count` elements, one behind the other, into one.
template <typename T>
void combine_rows(int32_t combine, const void* from, int64_t rows, int64_t count, void* into) {
  const T* next = static_cast<const T*>(from);
  T* result = static_cast<T*>(into);
  std::copy_n(next, count, result);
  for (int64_t row = 1; row < rows; ++row) {
    next += count;
    for (int64_t i = 0; i < count; ++i) result[i] = combined(combine, result[i], next[i]);
  }
}

void combine_elements(int32_t combine, int32_t element, const void* from, int64_t rows,
                      int64_t count, void* into) {
  switch (element) {
    case DZ_F32: return combine_rows<float>(combine, from, rows, count, into);
    case DZ_F64: return combine_rows<double>(combine, from, rows, count, into);
    case DZ_BOOL:
    case DZ_I8:
    case DZ_U8: return combine_rows<uint8_t>(combine, from, rows, count, into);
    case DZ_I16:
    case DZ_U16: return combine_rows<uint16_t>(combine, from, rows, count, into);
    case DZ_I32:
    case DZ_U32: return combine_rows<uint32_t>(combine, from, rows, count, into);
    default: return combine_rows<uint64_t>(combine, from, rows, count, into);
  }
}

}  // namespace

int32_t Ranks::reduce(dz_context& context, int32_t combine, int32_t element, const void* own,
                      int64_t count, void* whole) {
  const int64_t bytes = count * element_info(element).bytes;
  if (!several()) {
    std::memcpy(whole, own, static_cast<size_t>(bytes));
    return DZ_OK;
  }
  note(Collective::reduce, bytes);
  if (bytes * size() > few_bytes) {
    return combine_parts(context, combine, element, own, count, whole);
  }
  std::vector<char> all(static_cast<size_t>(bytes * size()));
  const std::vector<int64_t> sizes(static_cast<size_t>(size()), bytes);
  const int32_t status =
      checked(context, messages_->gather(messages_->communicator, own, all.data(), sizes.data()));
  combine_elements(combine, element, all.data(), size(), count, whole);
  return status;
}

int32_t Ranks::combine_parts(dz_context& context, int32_t combine, int32_t element, const void* own,
                             int64_t count, void* whole) {
  const int64_t each = element_info(element).bytes;
  const std::vector<int64_t> to = part_bytes(count, each);
  const int64_t part = this->count(count);
  const std::vector<int64_t> from(static_cast<size_t>(size()), part * each);
  std::vector<char> parts(static_cast<size_t>(part * each * size()));
  const int32_t status = checked(
      context,
      messages_->exchange(messages_->communicator, own, to.data(), parts.data(), from.data()));
  if (status != DZ_OK) {
    return status;
  }
  std::vector<char> result(static_cast<size_t>(part * each));
  combine_elements(combine, element, parts.data(), size(), part, result.data());
  return checked(context,
                 messages_->gather(messages_->communicator, result.data(), whole, to.data()));
}

}  // namespace dagaz::runtime
