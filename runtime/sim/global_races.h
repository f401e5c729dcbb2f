// Races in global memory: a thread reads what another of the same launch writes, and nothing orders
// the two.  What orders them: a barrier of their block, a shuffle of their warp, or a fence and an
// atomic operation behind the first, and an atomic operation and a fence before the second.
//
// A clock counts events.  Of a fence with an atomic operation behind it the block remembers both
// times, and a thread how far back what it has seen by atomic operations reaches; whether the two
// operations met in one place is not asked, so some races are missed, but what is reported is one.
// That two threads write to one place is none: scatters may.  (After "FastTrack: efficient and
// precise dynamic race detection", Flanagan and Freund, 2009, with one clock for all.)
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace dagaz::runtime::sim {

/// A thread of the launch.
struct ThreadName {
  int32_t block = -1;
  int32_t index = 0;
  bool operator==(const ThreadName&) const = default;
};

class GlobalRaces {
 public:
  void start_launch();
  /// The thread whose access an access races with; its block is -1 where there is none.
  ThreadName access(ThreadName who, const void* address, int64_t bytes, int32_t flags);
  void fence(ThreadName who);
  /// Threads of the block meet: all, or those of a warp.
  void barrier(int32_t block);
  void shuffle(int32_t block, int32_t warp);

 private:
  using Time = int64_t;
  /// What a thread, or all of a warp or block, has seen.
  struct Seen {
    Time atomic = 0;    // the last atomic operation
    Time acquired = 0;  // the last one that a fence stands behind
    Time met = 0;       // when they met
    void join(const Seen& other);
  };
  struct Thread {
    Seen seen;
    Time fence = 0;
  };
  /// A fence, and the first atomic operation behind it.
  struct Release {
    Time fence;
    Time atomic;
  };
  struct Block {
    std::unordered_map<int32_t, Thread> threads;
    std::unordered_map<int32_t, Seen> warps;
    Seen all;
    std::vector<Release> releases;  // both times grow
  };
  struct Mark {
    ThreadName who;
    Time time = 0;
    uint8_t bytes = 0;  // which of the eight
  };
  struct Word {
    uint32_t launch = 0;
    Mark written;
    Mark read;
  };
  static constexpr uintptr_t word_bytes = 8;
  static constexpr uintptr_t words_of_page = 512;
  using Page = std::array<Word, words_of_page>;

  Seen seen_by(ThreadName who);
  bool ordered(const Mark& earlier, ThreadName who);
  void atomic(ThreadName who);

  std::unordered_map<uintptr_t, Page> pages_;
  std::unordered_map<int32_t, Block> blocks_;
  Time now_ = 0;
  uint32_t launch_ = 0;
};

}  // namespace dagaz::runtime::sim
