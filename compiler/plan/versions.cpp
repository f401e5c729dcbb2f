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

/// Whether `a` is no less than `b` by the sizes of both.
bool no_less(const ir::Product& a, const ir::Product& b) {
  // There is a thread at least.
  const bool has_threads = a.resident && a.sizes.empty() && !a.block_bytes && b.is_number();
  return (same_sizes(a, b) || has_threads) && a.factor >= b.factor;
}

/// Without guards that others imply.
std::vector<ir::Guard> needed(const std::vector<ir::Guard>& guards) {
  std::vector<ir::Guard> kept;
  for (const ir::Guard& one : guards) {
    const auto is_stronger = [&](const ir::Guard& other) { return implies(other, one); };
    if (std::ranges::any_of(kept, is_stronger)) continue;
    std::erase_if(kept, [&](const ir::Guard& other) { return implies(one, other); });
    kept.push_back(one);
  }
  return kept;
}

}  // namespace

bool implies(const ir::Guard& a, const ir::Guard& b) {
  return same_sizes(a.size, b.size) && a.size.factor <= b.size.factor && no_less(a.least, b.least);
}

ir::Schedule in_versions(std::vector<ir::Version> versions) {
  ir::Schedule schedule;
  for (ir::Version& one : versions) {
    add_version(schedule, std::move(one.when), std::move(one.strategy));
  }
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
  if (!can_run) return;
  std::vector<ir::Version>& versions = schedule.versions;
  // What runs anyway has no need of guards before.
  while (when.empty() && !versions.empty() && versions.back().strategy == strategy) {
    versions.pop_back();
  }
  versions.push_back({needed(when), std::move(strategy)});
}

}  // namespace dagaz::plan
