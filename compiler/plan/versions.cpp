#include "plan/versions.h"

#include <algorithm>
#include <utility>

namespace dagaz::plan {

namespace {

/// Constant sizes go into the factor.
ir::Product folded(ir::Product product) {
  std::erase_if(product.sizes, [&](const ir::Operand& size) {
    if (!size.is_constant()) return false;
    product.factor *= ir::integer_value(size.constant());
    return true;
  });
  return product;
}

bool same_sizes(const ir::Product& a, const ir::Product& b) {
  return a.resident == b.resident && a.block_bytes == b.block_bytes &&
         std::ranges::is_permutation(a.sizes, b.sizes);
}

}  // namespace

bool implies(const ir::Guard& a, const ir::Guard& b) {
  return same_sizes(a.size, b.size) && same_sizes(a.least, b.least) &&
         a.size.factor <= b.size.factor && a.least.factor >= b.least.factor;
}

ir::Schedule in_versions(std::vector<ir::Version> versions) {
  ir::Schedule schedule;
  schedule.versions = std::move(versions);
  const auto always =
      std::find_if(schedule.versions.begin(), schedule.versions.end(),
                   [](const ir::Version& one) { return one.when.empty(); });
  if (always == schedule.versions.end()) return schedule;
  schedule.versions.erase(always + 1, schedule.versions.end());
  return schedule;
}

ir::Schedule only(ir::Strategy strategy) {
  return in_versions({ir::Version{{}, std::move(strategy)}});
}

void add_version(ir::Schedule& schedule, std::vector<ir::Guard> when, ir::Strategy strategy) {
  const bool complete = !schedule.versions.empty() && schedule.versions.back().when.empty();
  if (complete) return;
  bool can_run = true;
  std::erase_if(when, [&](ir::Guard& guard) {
    guard = {folded(std::move(guard.size)), folded(std::move(guard.least))};
    if (!guard.size.is_number() || !guard.least.is_number()) return false;
    can_run = can_run && guard.size.factor >= guard.least.factor;
    return true;
  });
  if (can_run) schedule.versions.push_back({std::move(when), std::move(strategy)});
}

}  // namespace dagaz::plan
