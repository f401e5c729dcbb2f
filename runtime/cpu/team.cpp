// Opening loops, entering them, and waiting.
#include "cpu/team.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <system_error>

namespace dagaz::runtime {

namespace {

constexpr size_t line_bytes = 64;
constexpr size_t most_open = 32;  // loops; one that finds no place runs on its thread alone

// A thread looks so long for work, or for the end of a loop, before it sleeps: waking up takes some
// 50 µs, and the program's code between two loops seldom more.
constexpr auto patience = std::chrono::microseconds(200);
constexpr int looks_before_yield = 64;
constexpr int woken_by_each = 2;

// The state of a loop: flags above, the number of other threads inside below.
constexpr uint32_t taken = uint32_t{1} << 31;   // a thread has this place
constexpr uint32_t is_open = uint32_t{1} << 30;  // others may enter
constexpr uint32_t awaited = uint32_t{1} << 29;  // who began it sleeps until they have left
constexpr uint32_t visitors = awaited - 1;

/// 0 on threads that no team started.
thread_local int this_thread = 0;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Looks until `found` or until patience ends; whether it was found.  Others get the processor now
/// and then: the one that is waited for may be on it.
template <typename Found>
bool look_for(Found found) {
  const auto end = std::chrono::steady_clock::now() + patience;
  do {
    for (int i = 0; i < looks_before_yield; ++i) {
      if (found()) {
        return true;
      }
      pause();
    }
    sched_yield();
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

}  // namespace

struct alignas(line_bytes) Team::Loop {
  struct alignas(line_bytes) Share {
    std::atomic<int64_t> next{0};
    int64_t end = 0;
  };

  explicit Loop(size_t threads) : shares(threads) {}

  std::atomic<uint32_t> state{0};
  std::atomic<int64_t> to_wake{0};  // threads that are asleep and would find pieces
  Work work{};
  size_t share_count = 0;
  std::vector<Share> shares;
};

Team::Team(int threads, bool awake) : awake_(awake), process_(getpid()) {
  const auto count = static_cast<size_t>(threads);
  for (size_t i = 0; i < std::min(2 * count, most_open); ++i) {
    loops_.push_back(std::make_unique<Loop>(count));
  }
  others_.reserve(count);
  for (int i = 1; i < threads; ++i) {
    try {
      others_.emplace_back([this, i] { serve(i); });
    } catch (const std::system_error&) {
      return;
    }
  }
}

Team::~Team() {
  if (getpid() != process_) {
    for (std::thread& other : others_) {
      other.detach();
    }
    return;
  }
  ends_.store(true);
  changes_.fetch_add(1);
  changes_.notify_all();
  for (std::thread& other : others_) {
    other.join();
  }
}

Team::Loop* Team::open(int64_t pieces, const Work& work) {
  for (const auto& loop : loops_) {
    uint32_t expected = 0;
    if (loop->state.load(std::memory_order_relaxed) != 0 ||
        !loop->state.compare_exchange_strong(expected, taken, std::memory_order_acquire)) {
      continue;
    }
    loop->work = work;
    const auto count = std::min(pieces, static_cast<int64_t>(loop->shares.size()));
    loop->share_count = static_cast<size_t>(count);
    for (int64_t i = 0; i < count; ++i) {
      Loop::Share& share = loop->shares[static_cast<size_t>(i)];
      share.next.store(pieces * i / count, std::memory_order_relaxed);
      share.end = pieces * (i + 1) / count;
    }
    loop->state.store(taken | is_open, std::memory_order_release);
    return loop.get();
  }
  return nullptr;
}

void Team::take_pieces(Loop& loop, int thread, bool began) {
  const size_t count = loop.share_count;
  for (size_t i = 0; i < count; ++i) {
    Loop::Share& share = loop.shares[(static_cast<size_t>(thread) + i) % count];
    while (share.next.load(std::memory_order_relaxed) < share.end) {
      const int64_t piece = share.next.fetch_add(1, std::memory_order_relaxed);
      if (piece < share.end) {
        loop.work.piece(loop.work.loop, piece, began);
      }
    }
  }
  loop.state.fetch_and(~is_open, std::memory_order_relaxed);  // nothing is left for who comes now
}

void Team::wait_for_visitors(Loop& loop) {
  const auto left = [&] { return (loop.state.load(std::memory_order_acquire) & visitors) == 0; };
  if (left() || (awake_ && look_for(left))) {
    return;
  }
  uint32_t state = loop.state.fetch_or(awaited, std::memory_order_acquire) | awaited;
  while ((state & visitors) != 0) {
    loop.state.wait(state, std::memory_order_acquire);
    state = loop.state.load(std::memory_order_acquire);
  }
}

void Team::run(int64_t pieces, const Work& work) {
  Loop* loop = open(pieces, work);
  if (loop == nullptr) {
    for (int64_t piece = 0; piece < pieces; ++piece) {
      work.piece(work.loop, piece, true);
    }
    return;
  }
  changes_.fetch_add(1);
  const int64_t asleep = sleepers_.load();
  const int64_t awake = static_cast<int64_t>(others_.size()) - asleep;
  loop->to_wake.store(std::min(asleep, pieces - 1 - awake), std::memory_order_relaxed);
  wake_some(*loop);
  take_pieces(*loop, this_thread, true);
  wait_for_visitors(*loop);
  loop->state.store(0, std::memory_order_release);
}

bool Team::visit_one(int thread, bool slept) {
  for (const auto& loop : loops_) {
    uint32_t state = loop->state.load(std::memory_order_relaxed);
    while ((state & is_open) != 0) {
      if (!loop->state.compare_exchange_weak(state, state + 1, std::memory_order_acquire)) {
        continue;
      }
      if (slept) {
        wake_some(*loop);
      }
      take_pieces(*loop, thread, false);
      const uint32_t before = loop->state.fetch_sub(1, std::memory_order_release);
      if ((before & awaited) != 0 && (before & visitors) == 1) {
        loop->state.notify_one();
      }
      return true;
    }
  }
  return false;
}

bool Team::wait_for_change(uint32_t seen) {
  const auto changed = [&] { return changes_.load(std::memory_order_acquire) != seen; };
  if (awake_ && look_for(changed)) {
    return false;
  }
  sleepers_.fetch_add(1);
  changes_.wait(seen);
  sleepers_.fetch_sub(1);
  return true;
}

// Each that comes wakes others, so that many are awake soon and nobody has to wake them all.
void Team::wake_some(Loop& loop) {
  for (int i = 0; i < woken_by_each; ++i) {
    if (loop.to_wake.fetch_sub(1, std::memory_order_relaxed) > 0) {
      changes_.notify_one();
    }
  }
}

void Team::serve(int thread) {
  this_thread = thread;
  bool slept = false;
  while (true) {
    const uint32_t seen = changes_.load();
    if (ends_.load()) {
      return;
    }
    while (visit_one(thread, slept)) {
    }
    slept = wait_for_change(seen);
  }
}

}  // namespace dagaz::runtime
