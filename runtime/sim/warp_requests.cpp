// Accesses become requests.
#include "sim/warp_requests.h"

#include <algorithm>
#include <numeric>

#include "sim/access_checker.h"

namespace dagaz::runtime::sim {

void Request::add(uint64_t address, int64_t size) {
  Span all = {address, address + static_cast<uint64_t>(size)};
  const auto first =
      std::lower_bound(spans.begin(), spans.end(), all.begin,
                       [](const Span& span, uint64_t begin) { return span.end < begin; });
  auto behind = first;
  for (; behind != spans.end() && behind->begin <= all.end; ++behind) {
    all = {std::min(all.begin, behind->begin), std::max(all.end, behind->end)};
  }
  if (first == behind) {
    spans.insert(first, all);
  } else {
    *first = all;
    spans.erase(first + 1, behind);
  }
}

int64_t Request::bytes() const {
  return std::accumulate(spans.begin(), spans.end(), int64_t{0}, [](int64_t sum, const Span& span) {
    return sum + static_cast<int64_t>(span.end - span.begin);
  });
}

std::vector<uint64_t> Request::units(uint64_t size) const {
  std::vector<uint64_t> touched;
  for (const Span& span : spans) {
    const uint64_t first = span.begin / size;
    const bool known = !touched.empty() && touched.back() == first;
    for (uint64_t unit = first + (known ? 1 : 0); unit <= (span.end - 1) / size; ++unit) {
      touched.push_back(unit);
    }
  }
  return touched;
}

size_t WarpRequests::SiteHash::operator()(const Site& site) const {
  const auto address = reinterpret_cast<uintptr_t>(site.first);
  return (address ^ (static_cast<size_t>(site.second) << 56)) * 0x9e3779b97f4a7c15u;
}

bool WarpRequests::add(const Access& access) {
  constexpr int64_t word_bytes = 4;
  const int32_t lane = access.thread % warp_lanes;
  const auto words = static_cast<int32_t>(access.bytes / word_bytes);
  const bool divided = (access.flags & access_shared) != 0 && words > 1;
  Visits& visits = sites_[{access.site, divided ? lane / (warp_lanes / words) : 0}];
  const uint32_t time = visits.times[static_cast<size_t>(lane)]++;
  const bool is_new = time == visits.requests.size();
  if (is_new) {
    visits.requests.push_back(static_cast<uint32_t>(requests_.size()));
    requests_.push_back({access.flags, 0, {}});
  }
  Request& request = requests_[visits.requests[time]];
  ++request.lanes;
  request.add(access.address, access.bytes);
  return is_new;
}

void WarpRequests::clear() {
  sites_.clear();
  requests_.clear();
}

}  // namespace dagaz::runtime::sim
