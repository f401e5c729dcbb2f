// What several measurements of one time say.  Times are neither symmetric nor without outliers, so
// everything here goes by ranks (Hollander, Wolfe, Chicken: Nonparametric Statistical Methods,
// 2013).
#pragma once

#include <vector>

namespace dagaz::runtime {

/// The middle of the times, of which there is at least one.
double median(std::vector<double> times);

/// Where the true median lies with 95 % confidence: between two of the times, whose places follow
/// from how often a coin falls on one side (§3.6).
struct Interval {
  double low;
  double high;
};
/// Fewer than six times say nothing: their interval is unbounded.
Interval median_interval(std::vector<double> times);

/// Half the interval's width over the median; infinite where nothing is known.
double relative_error(const std::vector<double>& times);

/// How probable it is that times of one kind differ as much as these two lists do (Wilcoxon's rank
/// sum by its normal approximation, ties counted, §4.1).
double probability_of_same(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace dagaz::runtime
