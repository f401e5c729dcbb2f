// Marks on words of memory, and what orders them.
#include "sim/global_races.h"

#include <algorithm>

#include "sim/access_checker.h"

namespace dagaz::runtime::sim {

static constexpr int32_t warp_size = 32;

void GlobalRaces::Seen::join(const Seen& other) {
  atomic = std::max(atomic, other.atomic);
  acquired = std::max(acquired, other.acquired);
}

void GlobalRaces::start_launch() {
  blocks_.clear();
  ++launch_;
}

/// With what it got from those that it met.
GlobalRaces::Seen GlobalRaces::seen_by(ThreadName who) {
  Block& block = blocks_[who.block];
  Seen seen = block.threads[who.index].seen;
  seen.join(block.warps[who.index / warp_size]);
  seen.join(block.all);
  return seen;
}

void GlobalRaces::fence(ThreadName who) {
  Thread& thread = blocks_[who.block].threads[who.index];
  thread.fence = ++now_;
  thread.seen.acquired = seen_by(who).atomic;
}

void GlobalRaces::atomic(ThreadName who) {
  Block& block = blocks_[who.block];
  Thread& thread = block.threads[who.index];
  thread.seen.atomic = ++now_;
  if (thread.fence > 0 && (block.releases.empty() || block.releases.back().fence < thread.fence)) {
    block.releases.push_back({thread.fence, now_});
  }
}

void GlobalRaces::barrier(int32_t number) {
  Block& block = blocks_[number];
  for (const auto& [index, thread] : block.threads) {
    block.all.join(thread.seen);
  }
  block.all.met = ++now_;
}

void GlobalRaces::shuffle(int32_t number, int32_t warp) {
  Block& block = blocks_[number];
  Seen& all = block.warps[warp];
  for (int32_t lane = 0; lane < warp_size; ++lane) {
    const auto found = block.threads.find(warp * warp_size + lane);
    if (found != block.threads.end()) {
      all.join(found->second.seen);
    }
  }
  all.met = ++now_;
}

bool GlobalRaces::ordered(const Mark& earlier, ThreadName who) {
  if (earlier.who == who) {
    return true;
  }
  const Block& from = blocks_[earlier.who.block];
  if (earlier.who.block == who.block) {
    const bool one_warp = earlier.who.index / warp_size == who.index / warp_size;
    if (from.all.met > earlier.time ||
        (one_warp && blocks_[who.block].warps[who.index / warp_size].met > earlier.time)) {
      return true;
    }
  }
  const auto release =
      std::upper_bound(from.releases.begin(), from.releases.end(), earlier.time,
                       [](Time time, const Release& one) { return time < one.fence; });
  return release != from.releases.end() && release->atomic < seen_by(who).acquired;
}

ThreadName GlobalRaces::access(ThreadName who, const void* address, int64_t bytes, int32_t flags) {
  if ((flags & access_atomic) != 0) {
    atomic(who);
    return {};
  }
  const auto begin = reinterpret_cast<uintptr_t>(address);
  const uintptr_t number = begin / word_bytes;
  Word& word = pages_[number / words_of_page][number % words_of_page];
  if (word.launch != launch_) {
    word = Word{};
    word.launch = launch_;
  }
  const auto mask = static_cast<uint8_t>(((1u << bytes) - 1) << (begin % word_bytes));
  const bool writes = (flags & access_write) != 0;
  const Mark& earlier = writes ? word.read : word.written;
  const bool meets = earlier.who.block >= 0 && (earlier.bytes & mask) != 0;
  const ThreadName other = meets && !ordered(earlier, who) ? earlier.who : ThreadName{};
  (writes ? word.written : word.read) = {who, ++now_, mask};
  return other;
}

}  // namespace dagaz::runtime::sim
