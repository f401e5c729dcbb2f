// In vectors, by Highway's vqsort (Blacher, Giesen, Sanders and Wassenberg, "Vectorized and
// performance-portable Quicksort", 2022).  Nothing else is in this file: programs that do not sort
// do not load that library.
#include "cpu/sort_run.h"

#include <hwy/contrib/sort/vqsort.h>

extern "C" void dz_sort_run(void* numbers, int64_t count, int32_t bytes, int32_t with_sign) {
  dagaz::runtime::with_numbers(numbers, bytes, with_sign != 0, [&](auto* typed) {
    const hwy::Sorter sorter;
    sorter(typed, static_cast<std::size_t>(count), hwy::SortAscending());
  });
}
