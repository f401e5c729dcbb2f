// Sorting numbers, with threads that each have a run.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <type_traits>

#include "context.h"
#include "test_program.h"

namespace {

/// Numbers of which none, some or all are equal, in no order or in one.
template <typename T>
std::vector<std::vector<T>> arrays(int64_t count) {
  std::mt19937_64 random(static_cast<uint64_t>(count));
  std::vector<T> mixed(static_cast<size_t>(count));
  for (T& one : mixed) one = static_cast<T>(random());
  std::vector<T> few = mixed;
  for (T& one : few) one = static_cast<T>(one % 3);
  std::vector<T> ascending = mixed;
  std::sort(ascending.begin(), ascending.end());
  std::vector<T> descending(ascending.rbegin(), ascending.rend());
  return {mixed, few, ascending, descending, std::vector<T>(mixed.size(), 7)};
}

template <typename T>
void check_sorted(dz_context* context, int64_t count) {
  for (std::vector<T>& numbers : arrays<T>(count)) {
    std::vector<T> expected = numbers;
    std::sort(expected.begin(), expected.end());
    const int with_sign = std::is_signed_v<T> ? 1 : 0;
    REQUIRE(dz_sort(context, numbers.data(), count, sizeof(T), with_sign) == DZ_OK);
    CHECK(numbers == expected);
  }
}

/// The place of a float in the total order, from its bits.
template <typename Bits>
Bits place_of(Bits bits, int mantissa) {
  const Bits sign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  const auto lowest = static_cast<Bits>((Bits{1} << mantissa) - 1);
  const bool negative = (bits & sign) != 0;
  return static_cast<Bits>(static_cast<Bits>(negative ? ~bits : bits ^ sign) - lowest);
}

template <typename Bits>
void check_floats_sorted(dz_context* context, int64_t count, int mantissa) {
  for (std::vector<Bits>& numbers : arrays<Bits>(count)) {
    std::vector<Bits> expected = numbers;
    std::sort(expected.begin(), expected.end(), [&](Bits a, Bits b) {
      return place_of(a, mantissa) < place_of(b, mantissa);
    });
    REQUIRE(dz_sort(context, numbers.data(), count, sizeof(Bits), 2) == DZ_OK);
    CHECK(numbers == expected);
  }
}

test::Context with_threads(int threads) {
  dz_config* config = dzr_config_new(&test::cpu_program());
  dzr_config_set_num_threads(config, threads);
  return test::Context(config);
}

TEST_CASE("numbers of every size are sorted, by any number of threads") {
  for (const int threads : {1, 2, 3, 7}) {
    CAPTURE(threads);
    const test::Context context = with_threads(threads);
    for (const int64_t count : {0, 1, 2, 100, 32767, 32768, 32769, 200003}) {
      CAPTURE(count);
      check_sorted<uint16_t>(context, count);
      check_sorted<uint32_t>(context, count);
      check_sorted<uint64_t>(context, count);
      check_sorted<int16_t>(context, count);
      check_sorted<int32_t>(context, count);
      check_sorted<int64_t>(context, count);
      check_floats_sorted<uint16_t>(context, count, 10);
      check_floats_sorted<uint32_t>(context, count, 23);
      check_floats_sorted<uint64_t>(context, count, 52);
    }
  }
}

TEST_CASE("several threads need memory for as many numbers again") {
  dz_config* config = dzr_config_new(&test::cpu_program());
  dzr_config_set_num_threads(config, 2);
  dzr_config_set_memory_cap(config, 1 << 16);
  const test::Context context(config);
  std::vector<uint64_t> numbers(100000);
  CHECK(dz_sort(context, numbers.data(), 100000, 8, 0) == DZ_OUT_OF_MEMORY);
  CHECK(context.error().find("out of memory") != std::string::npos);
}

}  // namespace
