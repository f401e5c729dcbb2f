// Sorting on one thread.
#pragma once

#include <cstdint>

/// Brings numbers of 2, 4 or 8 bytes in ascending order, with a sign or without.
extern "C" void dz_sort_run(void* numbers, int64_t count, int32_t bytes, int32_t with_sign);

namespace dagaz::runtime {

/// What `use` gives for numbers of their type.
template <typename Use>
auto with_numbers(void* numbers, int32_t bytes, bool with_sign, Use use) {
  const auto as = [&](auto unsigned_one, auto signed_one) {
    return with_sign ? use(static_cast<decltype(signed_one)*>(numbers))
                          : use(static_cast<decltype(unsigned_one)*>(numbers));
  };
  switch (bytes) {
    case 2: return as(uint16_t(), int16_t());
    case 4: return as(uint32_t(), int32_t());
    default: return as(uint64_t(), int64_t());
  }
}

}  // namespace dagaz::runtime
