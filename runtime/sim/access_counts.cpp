// Requests go through the caches; sectors and banks.
#include "sim/access_counts.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "sim/access_checker.h"

namespace dagaz::runtime::sim {

namespace {

// Of these the requests to shared memory are looked at.
constexpr int32_t observed_blocks = 8;
// So many wait to be counted at most, but for those of the warp that runs.
constexpr int64_t most_waiting = int64_t{1} << 20;
constexpr int32_t most_resident_blocks = 32;
constexpr uint64_t bank_bytes = 4;
constexpr uint64_t banks = 32;

/// What a block has of an L1 cache.
int64_t block_l1_bytes(const MemoryFacts& facts, const LaunchShape& launch) {
  const int64_t threads = (launch.block + warp_lanes - 1) / warp_lanes * warp_lanes;
  int64_t resident =
      std::min<int64_t>(facts.multiprocessor_threads / threads, most_resident_blocks);
  if (launch.shared_bytes > 0) {
    resident = std::min(resident, facts.l1_bytes / launch.shared_bytes);
  }
  const int64_t each = (launch.grid + facts.multiprocessors - 1) / facts.multiprocessors;
  resident = std::clamp<int64_t>(each, 1, std::max<int64_t>(resident, 1));
  return facts.l1_bytes / resident - launch.shared_bytes;
}

/// How often shared memory must be asked again, because a bank holds several of the words.
int64_t conflicts(const Request& request) {
  std::array<int64_t, banks> words{};
  for (const uint64_t word : request.units(bank_bytes)) {
    ++words[word % banks];
  }
  return std::max<int64_t>(*std::max_element(words.begin(), words.end()) - 1, 0);
}

int64_t in_sectors(int64_t bytes) {
  constexpr auto each = static_cast<int64_t>(sector_bytes);
  return (bytes + each - 1) / each;
}

double ratio(int64_t part, int64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string number(double value, int digits) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

}  // namespace

AccessCounts::AccessCounts(const MemoryFacts& facts, const LaunchShape& launch)
    : facts_(facts), block_l1_bytes_(block_l1_bytes(facts, launch)), l2_cache_(facts.l2_bytes) {}

void AccessCounts::add(const Access& access) {
  const bool shared = (access.flags & access_shared) != 0;
  if (shared) {
    ++shared_accesses_;
    if (access.block >= observed_blocks) {
      return;
    }
  } else if ((access.flags & access_atomic) != 0) {
    ++atomics_;
  } else if ((access.flags & access_write) != 0) {
    ++stores_;
  } else {
    ++loads_;
  }
  Block& block = blocks_.try_emplace(access.block, block_l1_bytes_).first->second;
  WarpRequests& warp = block.warps[access.thread / warp_lanes];
  waiting_ += warp.add(access) ? 1 : 0;
  if (waiting_ >= most_waiting) {
    count_requests(&warp);
    waiting_ = static_cast<int64_t>(warp.requests().size());
    if (waiting_ >= most_waiting) {
      end_phase();
    }
  }
}

void AccessCounts::end_phase() {
  count_requests(nullptr);
  waiting_ = 0;
}

void AccessCounts::end_blocks() {
  end_phase();
  blocks_.clear();
}

/// Counts those of all warps, of each in turn, and forgets them.
void AccessCounts::count_requests(const WarpRequests* without) {
  std::vector<std::pair<Block*, WarpRequests*>> warps;
  size_t most = 0;
  for (auto& [index, block] : blocks_) {
    for (auto& [number, warp] : block.warps) {
      if (&warp != without && !warp.requests().empty()) {
        warps.emplace_back(&block, &warp);
        most = std::max(most, warp.requests().size());
      }
    }
  }
  for (size_t turn = 0; turn < most; ++turn) {
    for (const auto& [block, warp] : warps) {
      if (turn < warp->requests().size()) {
        count(*block, warp->requests()[turn]);
      }
    }
  }
  for (const auto& [block, warp] : warps) {
    warp->clear();
  }
}

void AccessCounts::count(Block& block, const Request& request) {
  if ((request.flags & access_shared) != 0) {
    count_shared(request);
    return;
  }
  constexpr auto bytes = static_cast<int64_t>(sector_bytes);
  const bool atomic = (request.flags & access_atomic) != 0;
  const bool writes = (request.flags & access_write) != 0;
  const bool past_l1 = atomic || (request.flags & access_past_l1) != 0;
  const std::vector<uint64_t> sectors = request.units(sector_bytes);
  const auto touched = static_cast<int64_t>(sectors.size());
  ++global_.requests;
  global_.found += touched;
  global_.least += in_sectors(request.bytes());
  atomic_.requests += atomic ? request.lanes : 0;
  atomic_.found += atomic ? touched : 0;
  (writes ? l1_.written : l1_.read) += touched * bytes;
  for (const uint64_t sector : sectors) {
    if (!writes && !past_l1 && block.l1.read(sector)) {
      continue;
    }
    (writes ? l2_.written : l2_.read) += bytes;
    if (!writes || atomic) {
      memory_read_ += l2_cache_.read(sector) ? 0 : bytes;
    }
    if (writes) {
      l2_cache_.write(sector);
    }
  }
}

void AccessCounts::count_shared(const Request& request) {
  ++shared_.requests;
  shared_.found += conflicts(request);
}

Traffic AccessCounts::memory() const {
  return {memory_read_, l2_cache_.written_back() * static_cast<int64_t>(sector_bytes)};
}

double AccessCounts::memory_microseconds() const {
  const Traffic all = memory();
  return static_cast<double>(all.read + all.written) / facts_.bytes_per_microsecond;
}

std::string AccessCounts::report() const {
  const Traffic all = memory();
  const std::pair<const char*, std::string> counts[] = {
      {"loads", std::to_string(loads_)},
      {"stores", std::to_string(stores_)},
      {"atomics", std::to_string(atomics_)},
      {"l1_read_bytes", std::to_string(l1_.read)},
      {"l1_written_bytes", std::to_string(l1_.written)},
      {"l2_read_bytes", std::to_string(l2_.read)},
      {"l2_written_bytes", std::to_string(l2_.written)},
      {"memory_read_bytes", std::to_string(all.read)},
      {"memory_written_bytes", std::to_string(all.written)},
      {"estimated_memory_microseconds", number(memory_microseconds(), 3)},
      {"sectors_per_atomic", number(ratio(atomic_.found, atomic_.requests), 2)},
      {"sectors_per_request", number(ratio(global_.found, global_.requests), 2)},
      {"least_sectors_per_request", number(ratio(global_.least, global_.requests), 2)},
      {"shared_accesses", std::to_string(shared_accesses_)},
      {"bank_conflicts_per_request", number(ratio(shared_.found, shared_.requests), 2)}};
  std::string text;
  for (const auto& [name, count] : counts) {
    text += (text.empty() ? "{\"" : ",\"") + std::string(name) + "\":" + count;
  }
  return text + "}";
}

}  // namespace dagaz::runtime::sim
