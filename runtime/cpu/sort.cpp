// Sorting numbers: dz_sort.
//
// Each thread sorts a run (sort_run.h), and runs are merged in pairs.  A task merges a part of the
// merged run; where that begins in the two is found by a binary search (Odeh, Green, Mwassi, Shmueli
// and Birk, "Merge Path", 2012).
//
// The bits of floats are sorted as integers with a sign.  Those of negative floats, which come
// first, are then in descending order: they are turned round.  NaNs with a sign, the first then, go
// to the end.
#include <algorithm>
#include <bit>
#include <type_traits>
#include <utility>

#include "context.h"
#include "cpu/sort_run.h"

namespace dagaz::runtime {

namespace {

constexpr int64_t least_run = 16384;    // fewer elements are sorted sooner than merged
constexpr int64_t merged_part = 32768;  // elements that a task merges

template <typename T>
struct Run {
  const T* first;
  const T* behind;
};

/// How many of the first `count` elements of the merged run come from the first of two.
template <typename T>
int64_t from_first(const Run<T>& a, const Run<T>& b, int64_t count) {
  int64_t low = std::max<int64_t>(0, count - (b.behind - b.first));
  int64_t high = std::min<int64_t>(count, a.behind - a.first);
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (b.first[count - middle - 1] < a.first[middle]) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// Writes both, merged, from `target` on: from both ends at once, since what comes next waits for
/// what was taken before.
template <typename T>
void merge(Run<T> a, Run<T> b, T* target) {
  T* end = target + (a.behind - a.first) + (b.behind - b.first);
  // So many steps from either end leave something in both runs, or end one.
  while (int64_t steps = std::min(a.behind - a.first, b.behind - b.first) / 2) {
    for (; steps != 0; --steps) {
      const T first_a = *a.first;
      const T first_b = *b.first;
      const bool begins_with_b = first_b < first_a;
      *target++ = begins_with_b ? first_b : first_a;
      a.first += begins_with_b ? 0 : 1;
      b.first += begins_with_b ? 1 : 0;
      const T last_a = a.behind[-1];
      const T last_b = b.behind[-1];
      const bool ends_with_a = last_b < last_a;
      *--end = ends_with_a ? last_a : last_b;
      a.behind -= ends_with_a ? 1 : 0;
      b.behind -= ends_with_a ? 0 : 1;
    }
  }
  std::merge(a.first, a.behind, b.first, b.behind, target);
}

/// One call, as its tasks see it.
template <typename T>
struct Sorting {
  T* numbers;
  T* other;  // as many elements, if there are several runs
  int64_t count;
  int64_t runs;
  T* from;    // what is merged now …
  T* to;      // … and where to
  int64_t width;  // in runs, of what is merged in pairs

  int64_t begin_of(int64_t run) const {
    const int64_t size = count / runs;
    return std::min(run, runs) * size + std::min(std::min(run, runs), count % runs);
  }
};

template <typename T>
int32_t sort_runs(dz_context*, void* environment, int64_t begin, int64_t end) {
  const auto& s = *static_cast<const Sorting<T>*>(environment);
  for (int64_t run = begin; run != end; ++run) {
    const int64_t first = s.begin_of(run);
    const int64_t count = s.begin_of(run + 1) - first;
    if (s.from != s.numbers) {
      std::copy_n(s.numbers + first, count, s.from + first);
    }
    dz_sort_run(s.from + first, count, sizeof(T), std::is_signed_v<T>);
  }
  return DZ_OK;
}

/// Tasks have a part of the array each, which may be of several merged runs.
template <typename T>
int32_t merge_parts(dz_context*, void* environment, int64_t begin, int64_t end) {
  const auto& s = *static_cast<const Sorting<T>*>(environment);
  int64_t at = begin * merged_part;
  const int64_t last = std::min(s.count, end * merged_part);
  for (int64_t run = 0; at < last; run += 2 * s.width) {
    const int64_t first = s.begin_of(run);
    const int64_t behind = s.begin_of(run + 2 * s.width);
    if (behind <= at) {
      continue;
    }
    const int64_t middle = s.begin_of(run + s.width);
    const Run<T> a{s.from + first, s.from + middle};
    const Run<T> b{s.from + middle, s.from + behind};
    const int64_t begin_of_part = at - first;
    const int64_t end_of_part = std::min(last, behind) - first;
    const int64_t from_a = from_first(a, b, begin_of_part);
    const int64_t to_a = from_first(a, b, end_of_part);
    merge(Run<T>{a.first + from_a, a.first + to_a},
          Run<T>{b.first + (begin_of_part - from_a), b.first + (end_of_part - to_a)}, s.to + at);
    at = first + end_of_part;
  }
  return DZ_OK;
}

template <typename T>
int32_t sort(dz_context* context, T* numbers, int64_t count) {
  const auto threads = static_cast<uint64_t>(context->scheduler.threads());
  const auto most = static_cast<uint64_t>(std::max<int64_t>(1, count / least_run));
  const uint64_t runs = std::min(std::bit_ceil(threads), std::bit_floor(most));
  if (runs == 1) {
    dz_sort_run(numbers, count, sizeof(T), std::is_signed_v<T>);
    return DZ_OK;
  }
  dz_block* block = nullptr;
  if (const int32_t status =
          dz_allocate(context, count * static_cast<int64_t>(sizeof(T)), &block);
      status != DZ_OK) {
    return status;
  }
  Sorting<T> s{numbers, static_cast<T*>(block->data), count, static_cast<int64_t>(runs),
               numbers, numbers, 1};
  // The last merge writes to `numbers`.
  s.from = std::countr_zero(runs) % 2 == 0 ? s.numbers : s.other;
  s.to = s.from == s.numbers ? s.other : s.numbers;
  int32_t status = context->scheduler.run(context, s.runs, 1, sort_runs<T>, &s);
  for (; status == DZ_OK && s.width != s.runs; s.width *= 2) {
    const int64_t parts = (count + merged_part - 1) / merged_part;
    status = context->scheduler.run(context, parts, 1, merge_parts<T>, &s);
    std::swap(s.from, s.to);
  }
  dz_release(block);
  return status;
}

/// Bits of floats, sorted as integers with a sign, in the order of the floats.
template <typename T>
void order_floats(T* numbers, int64_t count) {
  constexpr int mantissa = sizeof(T) == 2 ? 10 : sizeof(T) == 4 ? 23 : 52;
  constexpr T minus_infinity = static_cast<T>(static_cast<T>(-1) << mantissa);
  T* const end = numbers + count;
  T* const positive = std::lower_bound(numbers, end, T{0});
  T* const nans = std::upper_bound(numbers, positive, minus_infinity);
  std::reverse(numbers, positive);
  std::rotate(numbers, numbers + (positive - nans), end);
}

}  // namespace

}  // namespace dagaz::runtime

int32_t dz_sort(dz_context* context, void* numbers, int64_t count, int32_t bytes, int32_t kind) {
  return dagaz::runtime::with_numbers(numbers, bytes, kind != 0, [&](auto* typed) {
    const int32_t status = dagaz::runtime::sort(context, typed, count);
    if constexpr (std::is_signed_v<std::remove_pointer_t<decltype(typed)>>) {
      if (status == DZ_OK && kind == 2) {
        dagaz::runtime::order_floats(typed, count);
      }
    }
    return status;
  });
}
