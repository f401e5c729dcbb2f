// Grouping accesses into requests of warps; sectors and banks.
#include "sim/access_counts.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>

#include "sim/access_checker.h"

namespace dagaz::runtime::sim {

namespace {

constexpr int32_t observed_blocks = 8;
constexpr int64_t most_requests = int64_t{1} << 18;
constexpr int32_t lanes = 32;
constexpr uint64_t sector_bytes = 32;
constexpr uint64_t bank_bytes = 4;
constexpr uint64_t banks = 32;

/// How many sectors of global memory the accesses touch.
int64_t sectors(const std::vector<uint64_t>& addresses, int64_t bytes) {
  std::set<uint64_t> touched;
  for (const uint64_t address : addresses) {
    touched.insert(address / sector_bytes);
    touched.insert((address + static_cast<uint64_t>(bytes) - 1) / sector_bytes);
  }
  return static_cast<int64_t>(touched.size());
}

/// How many would hold what is accessed, if it lay side by side.
int64_t least_sectors(const std::vector<uint64_t>& addresses, int64_t bytes) {
  const std::set<uint64_t> different(addresses.begin(), addresses.end());
  const uint64_t all = different.size() * static_cast<uint64_t>(bytes);
  return static_cast<int64_t>((all + sector_bytes - 1) / sector_bytes);
}

/// How often shared memory must be asked again, because a bank holds several of the words.
int64_t conflicts(const std::vector<uint64_t>& addresses, int64_t bytes) {
  std::array<std::set<uint64_t>, banks> words;
  for (const uint64_t address : addresses) {
    const uint64_t last = (address + static_cast<uint64_t>(bytes) - 1) / bank_bytes;
    for (uint64_t word = address / bank_bytes; word <= last; ++word) {
      words[word % banks].insert(word);
    }
  }
  size_t most = 1;
  for (const std::set<uint64_t>& bank : words) {
    most = std::max(most, bank.size());
  }
  return static_cast<int64_t>(most) - 1;
}

}  // namespace

uint64_t AccessCounts::Times::operator()(const Key& key) const {
  const auto site = reinterpret_cast<uintptr_t>(key.second);
  return (key.first * 0x9e3779b97f4a7c15u) ^ (site * 0xc2b2ae3d27d4eb4fu);
}

void AccessCounts::start_launch() { *this = AccessCounts(); }

void AccessCounts::add(const Access& access) {
  const bool shared = (access.flags & access_shared) != 0;
  if (shared) {
    ++shared_accesses_;
  } else if ((access.flags & access_atomic) != 0) {
    ++atomics_;
  } else if ((access.flags & access_write) != 0) {
    ++stores_;
    stored_bytes_ += access.bytes;
  } else {
    ++loads_;
    loaded_bytes_ += access.bytes;
  }
  if (access.block >= observed_blocks || kept_ >= most_requests) {
    return;
  }
  const uint64_t block = static_cast<uint64_t>(access.block) << 32;
  const auto time =
      static_cast<size_t>(times_[{block | static_cast<uint32_t>(access.thread), access.site}]++);
  const auto words = static_cast<int32_t>(static_cast<uint64_t>(access.bytes) / bank_bytes);
  const int32_t together = shared && words > 1 ? lanes / words : lanes;
  const auto warp = static_cast<uint32_t>(access.thread / together);
  std::vector<Request>& requests = requests_[{block | warp, access.site}];
  if (requests.size() <= time) {
    kept_ += static_cast<int64_t>(time + 1 - requests.size());
    requests.resize(time + 1);
  }
  requests[time].shared = shared;
  requests[time].atomic = (access.flags & access_atomic) != 0;
  requests[time].bytes = access.bytes;
  requests[time].addresses.push_back(access.address);
}

std::string AccessCounts::report() const {
  int64_t requests = 0;
  int64_t found = 0;
  int64_t least = 0;
  int64_t added = 0;
  int64_t added_sectors = 0;
  int64_t shared_requests = 0;
  int64_t conflicting = 0;
  for (const auto& [place, times] : requests_) {
    for (const Request& request : times) {
      if (request.addresses.empty()) {
        continue;
      }
      if (request.shared) {
        ++shared_requests;
        conflicting += conflicts(request.addresses, request.bytes);
      } else {
        const int64_t touched = sectors(request.addresses, request.bytes);
        ++requests;
        found += touched;
        if (request.atomic) {
          added += static_cast<int64_t>(request.addresses.size());
          added_sectors += touched;
        }
        least += least_sectors(request.addresses, request.bytes);
      }
    }
  }
  const auto ratio = [](int64_t part, int64_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
  };
  std::array<char, 512> text{};
  std::snprintf(text.data(), text.size(),
                "{\"loads\":%lld,\"loaded_bytes\":%lld,\"stores\":%lld,\"stored_bytes\":%lld,"
                "\"atomics\":%lld,\"sectors_per_atomic\":%.2f,\"sectors_per_request\":%.2f,"
                "\"least_sectors_per_request\":%.2f,"
                "\"shared_accesses\":%lld,\"bank_conflicts_per_request\":%.2f}",
                static_cast<long long>(loads_), static_cast<long long>(loaded_bytes_),
                static_cast<long long>(stores_), static_cast<long long>(stored_bytes_),
                static_cast<long long>(atomics_), ratio(added_sectors, added),
                ratio(found, requests), ratio(least, requests),
                static_cast<long long>(shared_accesses_), ratio(conflicting, shared_requests));
  return text.data();
}

}  // namespace dagaz::runtime::sim
