// What several measurements of one time say.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

#include "statistics.h"

namespace {

using namespace dagaz::runtime;

TEST_CASE("the median is the middle") {
  CHECK(median({3}) == 3);
  CHECK(median({5, 1, 3}) == 3);
  CHECK(median({4, 1, 3, 2}) == 2.5);
}

// From a table of the binomial distribution: of ten times the second and the ninth hold it with
// 97.9 %, of twenty the sixth and the fifteenth with 95.9 %.  Rounding outwards adds at most a
// place.
TEST_CASE("the interval of the median is bounded by two of the times") {
  std::vector<double> times;
  for (int i = 1; i <= 10; ++i) times.push_back(i);
  CHECK(median_interval(times).low == 2);
  CHECK(median_interval(times).high == 10);
  for (int i = 11; i <= 20; ++i) times.push_back(i);
  CHECK(median_interval(times).low == 6);
  CHECK(median_interval(times).high == 16);
  CHECK(relative_error(times) == doctest::Approx(5 / 10.5));
  CHECK(std::isinf(relative_error({1, 1, 1, 1, 1})));
}

TEST_CASE("the interval holds the median about as often as it says") {
  std::mt19937 random(1);
  std::exponential_distribution<double> times(1);
  int held = 0;
  constexpr int trials = 1000;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> sample;
    for (int i = 0; i < 30; ++i) sample.push_back(times(random));
    const Interval interval = median_interval(sample);
    held += interval.low <= std::log(2.0) && std::log(2.0) <= interval.high ? 1 : 0;
  }
  CHECK(held >= 940);
  CHECK(held <= 995);
}

// Hollander, Wolfe and Chicken's table of the rank sum: three against three, all apart, has one
// chance in ten of being so or the other way round; the approximation is near.
TEST_CASE("lists that differ are told from lists that do not") {
  CHECK(probability_of_same({1, 2, 3}, {4, 5, 6}) == doctest::Approx(0.1).epsilon(0.25));
  CHECK(probability_of_same({1, 2, 3, 4, 5, 6, 7, 8}, {11, 12, 13, 14, 15, 16, 17, 18}) < 0.002);
  CHECK(probability_of_same({1, 3, 5, 7}, {2, 4, 6, 8}) > 0.5);
  CHECK(probability_of_same({2, 2, 2}, {2, 2, 2}) == 1);
  CHECK(probability_of_same({}, {1}) == 1);
}

TEST_CASE("lists of one kind seldom differ") {
  std::mt19937 random(2);
  std::normal_distribution<double> times(100, 5);
  int differ = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    std::vector<double> a, b;
    for (int i = 0; i < 10; ++i) {
      a.push_back(times(random));
      b.push_back(times(random));
    }
    differ += probability_of_same(a, b) < 0.05 ? 1 : 0;
  }
  CHECK(differ < 70);
  CHECK(differ > 20);
}

}  // namespace
