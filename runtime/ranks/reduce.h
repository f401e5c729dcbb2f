// How ranks combine arrays element by element.
#pragma once

#include <cstdint>

#include "values.h"

namespace dagaz::runtime {

/// What each rank gets from the others.
enum class ReduceBy : uint8_t {
  everything,  // that they have
  parts,       // its part, from each of them
  halves       // what several have together, half as much from round to round
};

/// Bytes that take as long as a message without content.
constexpr double bytes_of_a_message = 24000;

/// Bytes from which on devices that send each other messages directly do so with what is combined:
/// an estimate of where two copies of all by way of the host take longer than one more message.
constexpr int64_t least_reduced_directly = int64_t{1} << 20;

/// The fastest way for so many ranks with `bytes` each, more than one.
ReduceBy fastest_reduction(int64_t ranks, int64_t bytes);

/// Elements of a rank, and where those of all are left, on the host.
struct RankSum {
  int32_t combine;  // enum dz_combine
  int32_t element;  // enum dz_element
  int64_t count;
  const char* own;
  char* whole;
};

inline int64_t bytes_of(const RankSum& sum, int64_t count) {
  return count * element_info(sum.element).bytes;
}

}  // namespace dagaz::runtime
