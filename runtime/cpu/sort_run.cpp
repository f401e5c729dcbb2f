// In vectors, by Highway's vqsort (Blacher, Giesen, Sanders and Wassenberg, "Vectorized and
// performance-portable Quicksort", 2022).  Nothing else is in this file: programs that do not sort
// do not load that library.
#include "cpu/sort_run.h"

#include <hwy/contrib/sort/vqsort.h>

template <typename T>
static void sort(void* numbers, int64_t count) {
  const hwy::Sorter sorter;
  sorter(static_cast<T*>(numbers), static_cast<std::size_t>(count), hwy::SortAscending());
}

extern "C" void dz_sort_run(void* numbers, int64_t count, int32_t bytes) {
  switch (bytes) {
    case 2: return sort<uint16_t>(numbers, count);
    case 4: return sort<uint32_t>(numbers, count);
    default: return sort<uint64_t>(numbers, count);
  }
}
