// Sorting on one thread.
#pragma once

#include <cstdint>

/// Brings numbers of 2, 4 or 8 bytes in ascending order, as if they had no sign.
extern "C" void dz_sort_run(void* numbers, int64_t count, int32_t bytes);
