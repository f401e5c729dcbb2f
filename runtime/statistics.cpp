#include "statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace dagaz::runtime {

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const size_t half = times.size() / 2;
  return times.size() % 2 == 1 ? times[half] : (times[half - 1] + times[half]) / 2;
}

Interval median_interval(std::vector<double> times) {
  constexpr size_t fewest = 6;
  constexpr double quantile = 1.96;  // of the normal distribution, for 95 %
  if (times.size() < fewest) {
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }
  std::sort(times.begin(), times.end());
  const auto count = static_cast<double>(times.size());
  const double reach = quantile * std::sqrt(count) / 2;
  const double low = std::max(0.0, std::floor(count / 2 - reach));
  const double high = std::min(count - 1, std::ceil(count / 2 + reach));
  return {times[static_cast<size_t>(low)], times[static_cast<size_t>(high)]};
}

double relative_error(const std::vector<double>& times) {
  const Interval interval = median_interval(times);
  const double middle = median(times);
  return middle > 0 ? (interval.high - interval.low) / 2 / middle
                    : std::numeric_limits<double>::infinity();
}

double probability_of_same(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<std::pair<double, bool>> all;
  for (const double time : a) {
    all.emplace_back(time, true);
  }
  for (const double time : b) {
    all.emplace_back(time, false);
  }
  std::sort(all.begin(), all.end());
  double rank_sum = 0;  // of a
  double ties = 0;
  for (size_t i = 0; i < all.size();) {
    size_t end = i;
    while (end < all.size() && all[end].first == all[i].first) {
      ++end;
    }
    const auto equal = static_cast<double>(end - i);
    const double rank = static_cast<double>(i + 1 + end) / 2;
    ties += equal * equal * equal - equal;
    for (; i < end; ++i) {
      rank_sum += all[i].second ? rank : 0;
    }
  }
  const auto n = static_cast<double>(a.size());
  const auto m = static_cast<double>(b.size());
  const double total = n + m;
  const double variance = n * m / 12 * (total + 1 - ties / (total * (total - 1)));
  if (n == 0 || m == 0 || !(variance > 0)) {
    return 1;
  }
  // A rank sum has steps of one half or more.
  const double away = std::max(0.0, std::fabs(rank_sum - n * (total + 1) / 2) - 0.5);
  return std::erfc(away / std::sqrt(2 * variance));
}

}  // namespace dagaz::runtime
