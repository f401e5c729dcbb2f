// Combining elements of arrays that ranks have.
#pragma once

#include <cstdint>

namespace dagaz::runtime {

/// One after the other of `count` elements of type `element` (enum dz_element), aligned, into those
/// that are there, by `combine` (enum dz_combine).
void combine_elements(int32_t combine, int32_t element, const void* from, int64_t count,
                      void* into);

}  // namespace dagaz::runtime
